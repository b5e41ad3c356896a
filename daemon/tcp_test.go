package daemon

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wattd/wattd/rpc/api"
)

// TestTCP: over the loopback, who knows the token is served as at the socket, and nobody else is.
func TestTCP(t *testing.T) {
	e := endpoint(t)
	stop := serve(t, e, Options{NoWatch: true, TCP: "localhost:0"})
	st := statusOf(t, connect(t, &Client{Endpoint: e}))
	if st.TCP == "" || st.Token != e.Token {
		t.Fatalf("status: tcp %q, token in %q", st.TCP, st.Token)
	}
	if fi, err := os.Stat(e.Token); err != nil || fi.Mode() != 0o600 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	c := &Client{Endpoint: e, TCP: st.TCP, Token: e.Token}
	if got := statusOf(t, connect(t, c)); got.Pid != st.Pid {
		t.Errorf("process %d, not %d", got.Pid, st.Pid)
	}
	b, err := os.ReadFile(e.Token)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(b))
	if len(token) != 64 {
		t.Errorf("a token of %d digits", len(token))
	}
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}` + "\n"
	for name, tc := range map[string]struct{ send, want string }{
		"right, with CRLF": {tokenWord + " " + token + "\r\n" + hello, `"serverInfo"`},
		"wrong":            {tokenWord + " " + strings.Repeat("0", 64) + "\n" + hello, "not-authorized"},
		"short":            {tokenWord + " " + token[:63] + "\n" + hello, "not-authorized"},
		"longer":           {tokenWord + " " + token + "0\n" + hello, "not-authorized"},
		"none":             {hello, "not-authorized"},
		"long":             {strings.Repeat("x", 1000) + "\n", "not-authorized"},
		"browser":          {"POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://example.com\r\n\r\n" + hello, "403 Forbidden"},
		"browser, token":   {"GET /" + token + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "403 Forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			var d net.Dialer
			conn, err := d.DialContext(soon(t), "tcp", st.TCP)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, tc.send); err != nil {
				t.Fatal(err)
			}
			_ = conn.SetReadDeadline(time.Now().Add(patience))
			got, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil && got == "" && tc.want != `"serverInfo"` { // reset, because not all of what was sent was read
				return
			}
			if !strings.Contains(got, tc.want) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	if err := os.Chmod(e.Token, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Connect(soon(t)); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Error(err)
	}
	waiting, err := net.Dial("tcp", st.TCP) // says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer waiting.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
	for _, path := range []string{e.Token, e.Admin, e.Socket} {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s stays: %v", path, err)
		}
	}
}

// TestTokenOfAnother: each server has its own, so that the file of one that was killed lets nobody in.
func TestTokenOfAnother(t *testing.T) {
	e := endpoint(t)
	if err := os.WriteFile(e.Token, []byte(strings.Repeat("a", 64)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := e.Token + ".kept"
	if err := os.Link(e.Token, kept); err != nil {
		t.Fatal(err)
	}
	serve(t, e, Options{NoWatch: true, TCP: "127.0.0.1:0"})
	st := statusOf(t, connect(t, &Client{Endpoint: e}))
	if _, _, err := (&Client{Endpoint: e, TCP: st.TCP, Token: kept}).Connect(soon(t)); !errors.Is(err, api.Errorf(api.NotAuthorized, "")) && !errors.Is(err, api.Errorf(api.ConnectionLost, "")) {
		t.Error(err)
	}
	if _, _, err := (&Client{Endpoint: e, TCP: st.TCP, Token: e.Token}).Connect(soon(t)); err != nil {
		t.Error(err)
	}
}

func TestLoopback(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:0": "127.0.0.1:0", "localhost:80": "127.0.0.1:80", "[::1]:7": "[::1]:7", "127.9.9.9:1": "127.9.9.9:1",
		"0.0.0.0:1": "", ":1": "", "10.0.0.1:1": "", "[::]:1": "", "example.com:1": "", "127.0.0.1": "", "127.0.0.1:x": "",
	} {
		a, err := loopback(address)
		if err != nil && want != "" || err == nil && a.String() != want {
			t.Errorf("%s: %v, %v", address, a, err)
		}
	}
	if err := Serve(soon(t), endpoint(t), Options{TCP: "0.0.0.0:0"}); err == nil || !strings.Contains(err.Error(), "not on the loopback") {
		t.Error(err)
	}
}

// TestAdmin: the profiles are on their socket, and on no other.
func TestAdmin(t *testing.T) {
	e := endpoint(t)
	serve(t, e, Options{NoWatch: true})
	if fi, err := os.Stat(e.Admin); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi, err)
	}
	if s, err := overHTTP(t, e.Admin, "/debug/pprof/goroutine?debug=1"); err != nil || !strings.HasPrefix(s, "200 goroutine profile") {
		t.Errorf("%.80s, %v", s, err)
	}
	if s, err := overHTTP(t, e.Socket, "/debug/pprof/goroutine?debug=1"); err == nil {
		t.Errorf("the main socket answers HTTP: %.80s", s)
	}
}
