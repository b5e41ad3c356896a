package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/rpc/api"
)

func request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

// TestMalformedLines: each line is answered as it says, and the connection goes on.
func TestMalformedLines(t *testing.T) {
	conn, _ := session(t, echo, Options{MaxMessage: 4 << 10, MaxBatch: 3, Concurrent: 1})
	out := bufio.NewReader(conn)
	for _, tc := range []struct {
		in   string
		want string // empty: no answer
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"echo"}`, "1=null"},
		{"  \t" + request("1", "echo", `{"z":1,"a":1.10,"n":12345678901234567890}`) + " \r", `1={"z":1,"a":1.10,"n":12345678901234567890}`},
		{request(`"a\u0062"`, "echo", `["<x>&"]`), `"a\u0062"=["<x>&"]`},
		{request(`0`, "echo", `null`), `0=null`},
		{"", ""},
		{"   ", ""},
		{"garbage", "null:parse-error"},
		{`{"jsonrpc":"2.0","id":1,`, "null:parse-error"},
		{`{"jsonrpc":"2.0","id":1,"method":"echo"}{}`, "null:parse-error"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ech\xff\"}", "null:parse-error"},
		{"\x00\x01\x02", "null:parse-error"},
		{strings.Repeat("[", 4000), "null:parse-error"},
		{"Content-Length: 5", "null:parse-error"},
		{`7`, "null:invalid-request"},
		{`"text"`, "null:invalid-request"},
		{`{}`, "null:invalid-request"},
		{request("null", "echo", "{}"), "null:invalid-request"},
		{request("-5", "echo", "{}"), "null:invalid-request"},
		{request("1.5", "echo", "{}"), "null:invalid-request"},
		{request("1e2", "echo", "{}"), "null:invalid-request"},
		{request("99999999999999999999", "echo", "{}"), "null:invalid-request"},
		{request("true", "echo", "{}"), "null:invalid-request"},
		{request("{}", "echo", "{}"), "null:invalid-request"},
		{request("[1]", "echo", "{}"), "null:invalid-request"},
		{`{"id":3,"method":"echo"}`, "3:invalid-request"},
		{`{"jsonrpc":"1.0","id":3,"method":"echo"}`, "3:invalid-request"},
		{`{"jsonrpc":"2.0","id":3,"method":""}`, "3:invalid-request"},
		{`{"jsonrpc":"2.0","id":3,"method":5}`, "3:invalid-request"},
		{`{"jsonrpc":"2.0","id":3}`, "3:invalid-request"},
		{`{"jsonrpc":"2.0","id":3,"id":4,"method":"echo"}`, "3:invalid-request"},
		{`{"jsonrpc":"2.0","id":3,"method":"echo","params":7}`, "3:invalid-request"},
		{`{"jsonrpc":"2.0","ID":3,"method":"echo"}`, ""}, // another member: a notification
		{`{"jsonrpc":"2.0","id":3,"meth\u006fd":"echo"}`, "3=null"},
		{`{"jsonrpc":"2.0","method":"no/such"}`, ""},
		{`{"jsonrpc":"2.0","id":77,"result":1}`, ""},           // an answer that nobody waits for
		{`{"jsonrpc":"2.0","id":null,"result":1}`, ""},         // one that is none
		{`{"jsonrpc":"2.0","id":1,"result":1,"error":{}}`, ""}, // both
		{`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1234}}`, ""},
		{`{"jsonrpc":"2.0","method":"$/cancelRequest","params":"x"}`, "null:invalid-request"},
		{`{"jsonrpc":"2.0","method":"$/cancelRequest","params":[1]}`, ""},
		{request("1", "no/such", "{}"), "1:method-not-found"},
		{request("1", "echo", `{"timeoutMs":-1}`), "1:bad-request"},
		{request("1", "echo", `{"timeoutMs":"soon"}`), "1:bad-request"},
		{request("1", "panic", "{}"), "1:internal"},
		{request("1", "nan", "{}"), "1:internal"},
		{request("1", "plain", "{}"), "1:internal"},
		{request("1", "fail", "{}"), "1:name-not-found"},
		{request("1", "echo", `["`+strings.Repeat("x", 8<<10)+`"]`), "null:too-large"},
		{strings.Repeat("x", 1<<20), "null:too-large"},
		{`[]`, "null:invalid-request"},
		{`[1]`, "[null:invalid-request]"},
		{`[` + request("1", "echo", "[1]") + `,` + request("2", "fail", "{}") + `,{"jsonrpc":"2.0","method":"echo"}]`, "[1=[1] 2:name-not-found]"},
		{`[` + request("1", "echo", "[1]") + `,{"foo":1}]`, "[null:invalid-request 1=[1]]"},
		{`[{"jsonrpc":"2.0","method":"echo"}]`, ""},
		{`[[]]`, "[null:invalid-request]"},
		{`[1,2,3,4]`, "null:too-large"},
	} {
		send(t, conn, tc.in+"\n"+ping+"\n")
		var got []string
		for len(got) == 0 || got[len(got)-1] != pong {
			line, err := out.ReadBytes('\n')
			if err != nil {
				t.Fatalf("%.80q: %v after %q", tc.in, err, got)
			}
			got = append(got, brief(line))
		}
		if g := strings.Join(got[:len(got)-1], " "); g != tc.want {
			t.Errorf("%.80q:\n got %s\nwant %s", tc.in, g, tc.want)
		}
	}
}

func headed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// readHeaded reads one answer with a header.
func readHeaded(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	head, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(head, "Content-Length: ")))
	if err != nil {
		t.Fatalf("%q: %v", head, err)
	}
	if _, err := r.Discard(2); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		t.Fatal(err)
	}
	return brief(b)
}

func TestMalformedHeaders(t *testing.T) {
	conn, _ := session(t, echo, Options{MaxMessage: 4 << 10, Concurrent: 1})
	out := bufio.NewReader(conn)
	body := request("1", "echo", "{}")
	for _, tc := range []struct{ in, want string }{
		{headed(body), "1={}"},
		{headed(body) + "\n", "1={}"},
		{headed(body) + "\r\n\r\n", "1={}"},
		{fmt.Sprintf("content-length:%d\n\n%s", len(body), body), "1={}"},
		{fmt.Sprintf("CONTENT-LENGTH :  %d \r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n%s", len(body), body), "1={}"},
		{fmt.Sprintf("X-Other: a:b\r\nContent-Length: %d\r\n\r\n%s", len(body), body), "1={}"},
		{fmt.Sprintf("Content-Length: %d\r\nContent-Length: %d\r\n\r\n%s", len(body), len(body), body), "1={}"},
		{headed(" \r\n" + body + "\n"), "1={}"},
		{headed("{"), "null:parse-error"},
		{headed(""), "null:parse-error"},
		{headed(strings.ReplaceAll(body, "{", "\n{")), "1={}"},
		{headed(`["` + strings.Repeat("x", 1<<20) + `"]`), "null:too-large"},
		{"Content-Type: x\r\n\r\n" + body, "null:parse-error"},
		{"Content-Length: -1\r\n\r\n" + body, "null:parse-error"},
		{"Content-Length: 0x10\r\n\r\n" + body, "null:parse-error"},
		{"Content-Length: 99999999999999999999\r\n\r\n" + body, "null:parse-error"},
		{"Content-Length: 3\r\nContent-Length: 4\r\n\r\n" + body, "null:parse-error"},
		{"no colon\r\n\r\n" + body, "null:parse-error"},
		{body + "\n", "null:parse-error"},
		{strings.Repeat("x", 20<<10) + "\n" + body, "null:parse-error"},
		{strings.Repeat("a: b\n", 40), "null:parse-error"},
		{"cccontent-length", "null:parse-error"}, // and the next header is found behind it
	} {
		send(t, conn, tc.in+headed(ping))
		if tc.in == "cccontent-length" {
			send(t, conn, headed(ping))
		}
		var got []string
		for len(got) == 0 || got[len(got)-1] != pong {
			got = append(got, readHeaded(t, out))
		}
		if g := strings.Join(got[:len(got)-1], " "); g != tc.want {
			t.Errorf("%.80q:\n got %s\nwant %s", tc.in, g, tc.want)
		}
	}
}

// TestFraming: the first byte decides, and the answers have the framing of the questions.
func TestFraming(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want string
	}{
		"line":            {ping + "\n", "line"},
		"no newline":      {ping, "line"},
		"blank lines":     {"\n \r\n\t" + ping + "\n", "line"},
		"mark":            {"\xef\xbb\xbf" + ping + "\n", "line"},
		"batch":           {"[" + ping + "]\n", "line"},
		"header":          {headed(ping), "header"},
		"mark and header": {"\xef\xbb\xbf" + headed(ping), "header"},
		"lower case":      {strings.ToLower("CONTENT-LENGTH:") + fmt.Sprint(len(ping)) + "\n\n" + ping, "header"},
		"after garbage":   {"hello\n" + headed(ping), "header"},
		"garbage, line":   {"hello\n" + ping + "\n", "line"},
		"other language":  {"\xefhello\n" + ping + "\n", "line"},
		"half a header":   {"Conte", "line"},
		"half a message":  {ping[:20], "line"},
		"nothing":         {"", ""},
		"browser":         {"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n" + ping + "\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			conn, _ := session(t, echo, Options{})
			send(t, conn, tc.in)
			if err := conn.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			all, err := io.ReadAll(conn)
			if err != nil && tc.want != "" {
				t.Fatal(err)
			}
			got := ""
			if len(all) > 0 {
				got = "line"
				if bytes.Contains(all, []byte("Content-Length: ")) {
					got = "header"
				}
			}
			if got != tc.want {
				t.Errorf("answered in form %q: %q", got, all)
			}
			if tc.want != "" && !strings.HasPrefix(name, "half") && !bytes.Contains(all, []byte(`"id":"ping","result":{"a":1}`)) {
				t.Errorf("no answer in %q", all)
			}
		})
	}
}

// TestSegments: how the bytes are cut on their way does not matter.
func TestSegments(t *testing.T) {
	for _, form := range []string{strings.Repeat(ping+"\n", 3), strings.Repeat(headed(ping)+"\n", 3)} {
		for _, cut := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			var f frames
			f.max = 1 << 20
			f.r = bufio.NewReader(cut(strings.NewReader(form)))
			for range 3 {
				b, err := f.next()
				if err != nil || string(bytes.TrimSpace(b)) != ping {
					t.Fatalf("%q, %v", b, err)
				}
			}
			if _, err := f.next(); err != io.EOF {
				t.Error(err)
			}
		}
	}
}

// TestClaims: a header that announces much allocates little.
func TestClaims(t *testing.T) {
	f := frames{max: 1 << 40}
	f.r = bufio.NewReader(strings.NewReader("Content-Length: 1000000000000\r\n\r\nabc"))
	if n := testing.AllocsPerRun(1, func() { _, _ = f.next() }); n > 50 {
		t.Errorf("%v allocations", n)
	}
	f = frames{max: 1 << 40, r: bufio.NewReader(strings.NewReader("Content-Length: 1000000000000\r\n\r\nabc"))}
	if _, err := f.next(); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}

// TestFaultsInARow: a peer that sends nothing but garbage is given up.
func TestFaultsInARow(t *testing.T) {
	conn, _ := session(t, echo, Options{})
	go func() { _, _ = io.WriteString(conn, strings.Repeat("garbage\n", 10*maxFaults)) }()
	all, _ := io.ReadAll(conn)
	if n := bytes.Count(all, []byte("\n")); n > maxFaults {
		t.Errorf("%d answers", n)
	}
}

// TestParseKeepsBytes: members are the bytes that came.
func TestParseKeepsBytes(t *testing.T) {
	m, _, f := parse([]byte(` { "params" : { "b" : [ 1 , "]}\\\"" ] , "a" : 1.10e+5 } , "x":{}, "method" : "m" , "id" : "i" , "jsonrpc" : "2.0" } `))
	if f != nil {
		t.Fatal(f.err)
	}
	if diff := cmp.Diff(`{ "b" : [ 1 , "]}\\\"" ] , "a" : 1.10e+5 }`, string(m.params)); diff != "" {
		t.Error(diff)
	}
}

// FuzzStream: any bytes are cut without a panic or hang, and what is taken for a message is one for encoding/json too.
func FuzzStream(f *testing.F) {
	for _, s := range []string{
		ping + "\n", headed(ping), "[" + ping + "," + ping + "]\n", "hello\n" + ping, "Content-Length: 3\n\n{}\n", "\xef\xbb\xbf{}", "[[{}],\"a\\\"\",1]\n",
		"content-length:content-length: 2\r\n\r\n[]", `{"a\u0062":[{"c":"\\"}],"id":null}` + "\n", "Content-Length: 99\r\n\r\nshort",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		fr := frames{max: 1 << 12, r: bufio.NewReaderSize(bytes.NewReader(in), 16)}
		for range len(in) + 2 {
			data, err := fr.next()
			if isFault(err) {
				continue
			}
			if err != nil {
				return
			}
			if int64(len(data)) > fr.max+2 {
				t.Fatalf("%d bytes", len(data))
			}
			m, elements, fault := parse(data)
			if fault != nil {
				if fault.id != nil && string(fault.id) != "null" && !validID(fault.id) {
					t.Fatalf("answered under the id %s", fault.id)
				}
				continue
			}
			if elements != nil {
				var want []json.RawMessage
				if err := json.Unmarshal(data, &want); err != nil || len(want) != len(elements) {
					t.Fatalf("%q: %d elements, encoding/json has %d", data, len(elements), len(want))
				}
				for _, e := range elements {
					parseObject(e)
				}
				continue
			}
			var want map[string]any
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatalf("%q: %v", data, err)
			}
			if method, _ := want["method"].(string); m.isRequest() && m.method != method {
				t.Fatalf("%q: method %q, encoding/json has %q", data, m.method, method)
			}
			if !json.Valid(m.stub()) || !json.Valid(success(null, null)) {
				t.Fatalf("stub %s", m.stub())
			}
		}
		t.Fatal("does not end")
	})
}

// TestInputEndsClient: a server that is not understood ends the connection of a client, with the reason.
func TestInputEndsClient(t *testing.T) {
	for in, want := range map[string]string{
		"garbage\n": "parse-error", "": "connection-lost",
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}` + "\n": "what?",
	} {
		a, b := socketPair(t)
		cl := NewClient(a, Options{Log: quiet()})
		go func() { _, _ = b.Read(make([]byte, 1000)); _, _ = io.WriteString(b, in); b.Close() }()
		err := cl.Call(context.Background(), "echo", nil, nil)
		if kindOf(err) != string(api.ConnectionLost) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", in, err)
		}
		cl.Close()
	}
}
