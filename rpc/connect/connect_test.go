package connect_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/wattd/wattd/internal/testenv"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
	"github.com/wattd/wattd/rpc/connect"
)

// TestMain is also the helper that a Tcl script starts: it joins standard input and output to the socket that it is told.
func TestMain(m *testing.M) {
	if socket := os.Getenv("CONNECT_TEST_SOCKET"); socket != "" {
		dial := func(ctx context.Context) (*rpc.Client, error) { return rpc.Dial(ctx, "unix", socket, rpc.Options{}) }
		if err := connect.Tcl(context.Background(), os.Stdin, os.Stdout, dial); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// server answers net/activity with the names that were asked for.
type server struct {
	*rpc.Server
	wg     sync.WaitGroup
	socket string
}

func serve(t *testing.T) *server {
	mux := rpc.NewMux()
	rpc.Register(mux, api.NetActivity, func(_ context.Context, p api.NetActivityParams) (api.NetActivityResult, error) {
		var r api.NetActivityResult
		r.Meta.Snapshot = p.Snapshot
		for i, name := range p.Names {
			if name == "nowhere" {
				return r, api.Errorf(api.NameNotFound, "no net %q", name).WithCandidates("some where", "now[3]")
			}
			r.Nets.Rows = append(r.Nets.Rows, api.ActivityRow{Net: name, TC: int64(i)})
		}
		return r, nil
	})
	rpc.RegisterNote(mux, api.Exit, func(ctx context.Context, _ api.Empty) error {
		rpc.RequestOf(ctx).Conn.Close()
		return nil
	})
	s := &server{Server: rpc.NewServer(mux, rpc.Options{Log: quiet()}), socket: filepath.Join(t.TempDir(), "s")}
	l, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	s.wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.wg.Go(func() { _ = s.Serve(context.Background(), conn) })
		}
	})
	t.Cleanup(func() { l.Close(); s.Shutdown(context.Background()); s.wg.Wait() })
	return s
}

func TestTcl(t *testing.T) {
	s := serve(t)
	dial := func(ctx context.Context) (*rpc.Client, error) {
		return rpc.Dial(ctx, "unix", s.socket, rpc.Options{Log: quiet()})
	}
	for _, tc := range []struct{ in, want string }{
		{"net/activity {names {{a b} c} snapshot 7}\n", "ok {meta {snapshot 7 "},
		{"net/activity\n", "ok {meta {snapshot 0 "},
		{"net/activity {names {{two\nlines}}}\n", `net {two\nlines}`},
		{"\n  \n", ""},
		{"net/activity {names nowhere}\n", `error {code 1105 message {no net "nowhere"} kind name-not-found hint {choose one of the candidates; names/explain says what was tried} candidates {{some where} {now[3]}}}` + "\n"},
		{"net/activity {nothing 1}\n", "error {code -32602 message {net/activity: there is no \"nothing\"}"},
		{"net/activity {limit -1}\n", "error {code -32602 message {limit is -1}"},
		{"net/activity a b c\n", "this list has 4 elements"},
		{"no/such\n", "kind method-not-found"},
		{"design/didUpdate\n", "kind method-not-found"},
		{"design/list\n", "kind method-not-found"}, // of the protocol, but not of this server
		{"subscribe {topic nets}\n", "is not for Tcl"},
		{"{a}b\n", "kind parse-error"},
		{"net/activity {names {a", "kind parse-error"},
		{strings.Repeat("x", 17<<20) + "\nnet/activity\n", "kind too-large"},
		{"exit\nnet/activity\n", "ok {}\n"},
	} {
		var out bytes.Buffer
		if err := connect.Tcl(context.Background(), strings.NewReader(tc.in), &out, dial); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if !strings.Contains(got, tc.want) || (tc.want == "") != (got == "") {
			t.Errorf("%.60q:\n got %.300q\nwant %q", tc.in, got, tc.want)
		}
		if strings.HasPrefix(tc.in, "xxx") && !strings.Contains(got, "\nok ") {
			t.Errorf("the request behind one that is too large: %q", got)
		}
	}
}

// TestTclDialsAgain: a lost server costs an error, not the session.
func TestTclDialsAgain(t *testing.T) {
	s := serve(t)
	dials := 0
	dial := func(ctx context.Context) (*rpc.Client, error) {
		switch dials++; dials {
		case 1:
			return nil, errors.New("nobody there")
		case 2:
			return nil, api.Errorf(api.VersionMismatch, "too old")
		}
		return rpc.Dial(ctx, "unix", s.socket, rpc.Options{Log: quiet()})
	}
	in, w := io.Pipe()
	r, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- connect.Tcl(context.Background(), in, out, dial) }()
	ask := func(want string) {
		t.Helper()
		fmt.Fprintln(w, "net/activity {names a}")
		b := make([]byte, 1<<16)
		n, err := r.Read(b)
		if err != nil || !strings.Contains(string(b[:n]), want) {
			t.Errorf("%q, %v, want %s", b[:n], err, want)
		}
	}
	ask("kind connection-lost")
	ask("kind version-mismatch")
	ask("ok ")
	for _, c := range s.Conns() {
		c.Close()
		<-c.Done()
	}
	fmt.Fprintln(w, "net/activity {names a}")
	b := make([]byte, 1<<16)
	n, _ := r.Read(b)
	if got := string(b[:n]); !strings.HasPrefix(got, "ok ") && !strings.Contains(got, "connection-lost") {
		t.Error(got)
	}
	ask("ok ")
	w.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestTclsh: a real Tcl talks to a server through the helper, with nothing but open and gets.
func TestTclsh(t *testing.T) {
	sh := testenv.Require(t, "tclsh")
	s := serve(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "t.tcl")
	if err := os.WriteFile(script, []byte(`set f [open "|[list $::env(HELPER)]" r+]
fconfigure $f -buffering line -translation lf -encoding utf-8
fconfigure stdout -encoding utf-8 -translation lf
proc ask {method params} { global f; puts $f [list $method $params]; gets $f line; return $line }
set names [list u1/n\[3\] "\\esc\$ape " "two\nlines" \u00e4 "\{" "" {a "b}]
lassign [ask net/activity [dict create names $names snapshot 3]] status result
puts "$status [dict get $result meta snapshot] [dict get $result nets rows]"
foreach want $names got [dict get $result nets cols net] { if {$want ne $got} { puts "$want comes back as $got" } }
lassign [ask net/activity {names nowhere}] status result
puts "$status [dict get $result kind] [lindex [dict get $result candidates] 1]"
puts [lindex [ask net/activity {names {}}] 0]
close $f
`), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(sh, script)
	cmd.Env = append(os.Environ(), "CONNECT_TEST_SOCKET="+s.socket, "HELPER="+exe)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := "ok 3 7\nerror name-not-found now\\[3\\]\nok\n"
	if diff := cmp.Diff(strings.ReplaceAll(want, `\`, ""), string(out)); diff != "" {
		t.Error(diff)
	}
}

// TestJSON: bytes pass, and the end of the input does not cut off the answer.
func TestJSON(t *testing.T) {
	s := serve(t)
	conn, err := net.Dial("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	in := `{"jsonrpc":"2.0","id":1,"method":"net/activity","params":{"names":["a"]}}`
	if err := connect.JSON(strings.NewReader(in), &out, conn); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), `{"jsonrpc":"2.0","id":1,"result":{"meta":`) {
		t.Error(out.String())
	}
	// a server that ends lets the forwarder end, though its input goes on
	conn, err = net.Dial("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	defer w.Close()
	done := make(chan error, 1)
	go func() { done <- connect.JSON(r, io.Discard, conn) }()
	if _, err := io.WriteString(w, `{"jsonrpc":"2.0","method":"exit"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
