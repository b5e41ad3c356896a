package daemon

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/wattd/wattd/rpc/api"
)

// A client over TCP says a line before the first message: tokenWord, a space, the token in hexadecimal digits. Nothing else is read
// from it, and nothing parsed, until that line was right. The line is none that a browser can be made to send.
const (
	tokenWord  = "WATTD-TOKEN"
	tokenBytes = 32
	tokenLine  = len(tokenWord) + 1 + 2*tokenBytes
	// tokenTime bounds the wait for the line, and tokenPeers those who wait at a time.
	tokenTime  = 5 * time.Second
	tokenPeers = 64
)

// ErrToken: the server does not take the token. Read it again: each server makes another one.
var ErrToken = errors.New("daemon: the server refused the token")

// tcp listens on the loopback for those who know the token.
type tcp struct {
	l       *net.TCPListener
	token   []byte
	file    string
	log     *slog.Logger
	waiting chan struct{}
}

// loopback parses the address to listen at, and refuses one that others than this host can reach.
func loopback(address string) (*net.TCPAddr, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("daemon: %q is no address: use 127.0.0.1:PORT, port 0 for any", address)
	}
	if host == "localhost" { // without asking anybody
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("daemon: %s is not on the loopback; only 127.0.0.1, [::1] and localhost are served", address)
	}
	a, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(ip.String(), port))
	if err != nil {
		return nil, fmt.Errorf("daemon: %q is no address: %w", address, err)
	}
	return a, nil
}

// listenTCP opens the listener and writes the token of this server.
func listenTCP(address, tokenFile string, log *slog.Logger) (*tcp, error) {
	a, err := loopback(address)
	if err != nil {
		return nil, err
	}
	token := make([]byte, tokenBytes)
	_, _ = rand.Read(token) // does not fail
	digits := hex.EncodeToString(token)
	if err := writeToken(tokenFile, digits); err != nil {
		return nil, fmt.Errorf("daemon: %w", err)
	}
	l, err := net.ListenTCP("tcp", a)
	if err != nil {
		_ = os.Remove(tokenFile)
		return nil, fmt.Errorf("daemon: %w", err)
	}
	return &tcp{l: l, token: []byte(digits), file: tokenFile, log: log, waiting: make(chan struct{}, tokenPeers)}, nil
}

// writeToken replaces the file as a whole: nobody reads half a token, nor through a link or a mode that somebody else made.
func writeToken(path, digits string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, digits+"\n")
	return errors.Join(err, f.Close())
}

// close lets nobody else in. The token is worth nothing any more.
func (t *tcp) close() {
	t.l.Close()
	_ = os.Remove(t.file)
}

// admit reads the line of a client. What follows it in the connection is untouched.
func (t *tcp) admit(c net.Conn) error {
	_ = c.SetReadDeadline(time.Now().Add(tokenTime))
	line := make([]byte, 0, tokenLine+1)
	for len(line) <= tokenLine { // a byte at a time, so that none of the messages behind it is taken
		var b [1]byte
		if _, err := io.ReadFull(c, b[:]); err != nil {
			return fmt.Errorf("no line with a token: %w", err)
		}
		if b[0] == '\n' {
			break
		}
		line = append(line, b[0])
	}
	word, digits, _ := strings.Cut(strings.TrimSuffix(string(line), "\r"), " ")
	switch {
	case word != tokenWord && isHTTP(string(line)):
		_, _ = io.WriteString(c, "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		return errors.New("the other end speaks HTTP")
	case word != tokenWord:
		return errors.New("the first line brings no token")
	case subtle.ConstantTimeCompare([]byte(digits), t.token) != 1:
		return ErrToken
	}
	return c.SetReadDeadline(time.Time{})
}

// isHTTP says whether a line, which may be cut, begins as a request of HTTP does.
func isHTTP(line string) bool {
	verb, _, ok := strings.Cut(line, " ")
	return ok && verb != "" && strings.Trim(verb, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// refuse tells a client why it is not served, and closes.
func refuse(c net.Conn, e *api.Error) {
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": e})
	if err == nil {
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.Write(append(b, '\n'))
	}
	_ = c.Close()
}

// knock lets a client in, or sends it away. ctx ends the wait for its token.
func (t *tcp) knock(ctx context.Context, c net.Conn) bool {
	select {
	case t.waiting <- struct{}{}:
		defer func() { <-t.waiting }()
	default:
		t.log.Warn("refused", "from", c.RemoteAddr(), "err", "too many wait to be let in")
		c.Close()
		return false
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	err := t.admit(c)
	if !stop() {
		return false
	}
	if err != nil {
		t.log.Warn("refused", "from", c.RemoteAddr(), "err", err)
		refuse(c, api.Errorf(api.NotAuthorized, "%v", err))
		return false
	}
	return true
}

// dialTCP connects to a server over the loopback, or a tunnel that ends there, with the token of a file.
func dialTCP(ctx context.Context, address, tokenFile string) (net.Conn, error) {
	st, err := os.Stat(tokenFile)
	if err != nil {
		return nil, fmt.Errorf("daemon: the token: %w", err)
	}
	if st.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("daemon: the token in %s may be read by others (mode %04o); chmod 600 it", tokenFile, st.Mode().Perm())
	}
	f, err := os.Open(tokenFile)
	if err != nil {
		return nil, fmt.Errorf("daemon: the token: %w", err)
	}
	defer f.Close()
	digits, err := bufio.NewReader(io.LimitReader(f, 2*tokenBytes+2)).ReadString('\n')
	if digits = strings.TrimSpace(digits); len(digits) != 2*tokenBytes || err != nil && err != io.EOF {
		return nil, fmt.Errorf("daemon: %s holds no token", tokenFile)
	}
	a, err := loopback(address)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", a.String())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	if _, err := io.WriteString(c, tokenWord+" "+digits+"\n"); err != nil {
		c.Close()
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return c, nil
}
