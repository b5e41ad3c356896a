// Package connect joins a client that has only its standard input and output to the server: tools whose language opens no Unix
// socket, and those without JSON.
//
// Contract: JSON passes bytes on and looks at none of them. Tcl answers each request line with one line, whatever happens to the
// server, which it dials again when it was lost; a request that may have reached a lost server is not sent twice. Neither starts
// a server; that is for the dial function. Both end with their input.
package connect

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
	"github.com/wattd/wattd/rpc/tcl"
)

// JSON passes bytes on between a client and a connection until both have ended, or the connection has. The end of in is passed
// on too, so that what was asked before is still answered.
func JSON(in io.Reader, out io.Writer, conn net.Conn) error {
	go func() { // ends with in: the process ends when the connection does, and a read of standard input cannot be broken off
		_, err := io.Copy(conn, in)
		if half, ok := conn.(interface{ CloseWrite() error }); ok && err == nil {
			_ = half.CloseWrite()
		} else {
			_ = conn.Close()
		}
	}()
	_, err := io.Copy(out, conn)
	_ = conn.Close()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// maxRequest bounds a request in Tcl.
const maxRequest = 16 << 20

// Tcl answers requests in Tcl form, one after the other, until in ends. An error is one of in or out.
func Tcl(ctx context.Context, in io.Reader, out io.Writer, dial func(context.Context) (*rpc.Client, error)) error {
	s := &tclSession{dial: dial}
	defer s.close()
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		request, err := readList(r)
		if e, ok := err.(*api.Error); ok {
			err = reply(out, nil, e)
		} else if err == io.EOF {
			return nil
		} else if err == nil && len(request) > 0 {
			var result json.RawMessage
			result, err = s.do(ctx, request)
			err = reply(out, result, err)
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// readList reads a list, on several lines when Tcl's quoting left newlines in it. What is no list is an *api.Error.
func readList(r *bufio.Reader) ([]string, error) {
	var text strings.Builder
	for {
		line, err := r.ReadSlice('\n')
		text.Write(line)
		switch {
		case text.Len() > maxRequest:
			for err == bufio.ErrBufferFull {
				_, err = r.ReadSlice('\n')
			}
			return nil, api.Errorf(api.TooLarge, "the request is longer than %d bytes", maxRequest)
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && (err != io.EOF || text.Len() == 0):
			return nil, err
		}
		list, bad := tcl.Split(strings.TrimRight(text.String(), "\r\n"))
		switch {
		case bad == nil:
			return list, nil
		case errors.Is(bad, tcl.ErrIncomplete) && err == nil:
			continue
		}
		return nil, api.Errorf(api.ParseError, "the request is no Tcl list: %v", bad)
	}
}

// reply writes the one line that a request gets.
func reply(out io.Writer, result json.RawMessage, err error) error {
	status := "ok"
	if err != nil {
		var e *api.Error
		if !errors.As(err, &e) {
			e = api.Errorf(api.Internal, "%v", err)
		}
		status = "error"
		if result, err = json.Marshal(struct {
			Code    int64  `json:"code"`
			Message string `json:"message"`
			api.ErrorData
		}{e.Code, e.Message, e.Data}); err != nil {
			return err
		}
	}
	value, err := tcl.FromJSON(result)
	if err != nil {
		if status == "ok" {
			return reply(out, nil, api.Errorf(api.Internal, "the result cannot be written in Tcl: %v", err))
		}
		return err
	}
	_, err = io.WriteString(out, tcl.List(status, value)+"\n")
	return err
}

type tclSession struct {
	dial   func(context.Context) (*rpc.Client, error)
	client *rpc.Client
}

func (s *tclSession) close() {
	if s.client != nil {
		s.client.Close()
		s.client = nil
	}
}

// notForTcl need messages that no request asked for.
var notForTcl = []string{api.Subscribe.Name(), api.Unsubscribe.Name()}

func (s *tclSession) do(ctx context.Context, request []string) (json.RawMessage, error) {
	method, params := request[0], ""
	switch len(request) {
	case 1:
	case 2:
		params = request[1]
	default:
		return nil, api.Errorf(api.BadRequest, "a request is METHOD PARAMS, PARAMS a dict; this list has %d elements", len(request))
	}
	in, ok := api.Lookup(method)
	switch {
	case !ok || in.Shape == api.FromServer:
		return nil, api.Errorf(api.MethodNotFound, "no method %q", method)
	case slices.Contains(notForTcl, method):
		return nil, api.Errorf(api.BadRequest, "%s is not for Tcl: updates come without a request", method)
	}
	body, err := tcl.ToJSON(params, in.Params)
	if err != nil {
		return nil, api.Errorf(api.BadRequest, "%s: %v", method, err)
	}
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	if in.Shape == api.FromClient {
		return json.RawMessage("{}"), s.client.Notify(method, json.RawMessage(body))
	}
	var result json.RawMessage
	err = s.client.Call(ctx, method, json.RawMessage(body), &result)
	return result, err
}

// connect dials when there is no connection, or the one there was has ended.
func (s *tclSession) connect(ctx context.Context) error {
	if s.client != nil {
		select {
		case <-s.client.Done():
			s.close()
		default:
			return nil
		}
	}
	client, err := s.dial(ctx)
	if err != nil {
		var e *api.Error
		if errors.As(err, &e) {
			return e
		}
		return api.Errorf(api.ConnectionLost, "%v", err)
	}
	s.client = client
	return nil
}
