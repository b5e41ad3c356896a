package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/wattd/wattd/rpc/api"
)

// Mux is a Handler that calls the function registered for a method. All of them are registered before it serves.
type Mux struct {
	handlers map[string]func(context.Context, *Request) (any, error)
}

// NewMux makes a Mux without methods.
func NewMux() *Mux {
	return &Mux{handlers: map[string]func(context.Context, *Request) (any, error){}}
}

// Register answers a request of the protocol. Params are decoded strictly: one that is unknown is an error, not something that
// is silently not done. If P has a method Validate() error it is asked too.
func Register[P, R any](m *Mux, method api.Method[P, R], fn func(ctx context.Context, params P) (R, error)) {
	in, _ := api.Lookup(method.Name())
	m.HandleFunc(method.Name(), func(ctx context.Context, req *Request) (any, error) {
		var p P
		if err := decodeParams(req, &p, in.Lenient); err != nil {
			return nil, err
		}
		return fn(ctx, p)
	})
}

// RegisterNote takes a notification of the protocol. fn runs on the reading goroutine and must be cheap.
func RegisterNote[P any](m *Mux, note api.Note[P], fn func(ctx context.Context, params P) error) {
	m.HandleFunc(note.Name(), func(ctx context.Context, req *Request) (any, error) {
		var p P
		if err := decodeParams(req, &p, true); err != nil {
			return nil, err
		}
		return nil, fn(ctx, p)
	})
}

// HandleFunc answers a method of another protocol; fn decodes the params. A method is registered once.
func (m *Mux) HandleFunc(method string, fn func(context.Context, *Request) (any, error)) {
	if m.handlers[method] != nil {
		panic("rpc: " + method + " is registered twice")
	}
	m.handlers[method] = fn
}

// Methods lists what is registered, sorted.
func (m *Mux) Methods() []string {
	var out []string
	for name := range m.handlers {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Handle implements Handler.
func (m *Mux) Handle(ctx context.Context, req *Request) (any, error) {
	fn := m.handlers[req.Method]
	if fn != nil {
		return fn(ctx, req)
	}
	if req.Notification() { // JSON-RPC has no answer for it, and LSP wants $/ to be passed over
		return nil, nil
	}
	return nil, api.Errorf(api.MethodNotFound, "no method %q", req.Method).WithCandidates(m.near(req.Method)...)
}

// near lists methods of the same group, or with the same last part.
func (m *Mux) near(method string) []string {
	group, last, _ := strings.Cut(method, "/")
	var out []string
	for _, name := range m.Methods() {
		if g, l, ok := strings.Cut(name, "/"); ok && (g == group || l == last) {
			out = append(out, name)
		}
	}
	return out
}

func decodeParams(req *Request, p any, lenient bool) error {
	if len(req.Params) > 0 {
		if req.Params[0] != '{' {
			return api.Errorf(api.BadRequest, "%s: params are an object, not an array", req.Method)
		}
		dec := json.NewDecoder(bytes.NewReader(req.Params))
		if !lenient {
			dec.DisallowUnknownFields()
		}
		if err := dec.Decode(p); err != nil && err != io.EOF {
			return api.Errorf(api.BadRequest, "%s: %s", req.Method, explain(err))
		}
	}
	if v, ok := p.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			var e *api.Error
			if errors.As(err, &e) {
				return e
			}
			return api.Errorf(api.BadRequest, "%s: %v", req.Method, err)
		}
	}
	return nil
}

// explain puts a fault of params in the words of the protocol.
func explain(err error) string {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		want := te.Type.String()
		switch te.Type.Kind() {
		case reflect.Int, reflect.Int32, reflect.Int64:
			want = "integer"
		case reflect.Float64:
			want = "number"
		case reflect.Slice:
			want = "array"
		case reflect.Struct, reflect.Map:
			want = "object"
		}
		field := te.Field // with the names of embedded structs, which are not on the wire
		if i := strings.LastIndexByte(field, '.'); i >= 0 {
			field = field[i+1:]
		}
		return fmt.Sprintf("%s is a %s, where the method takes %s", field, te.Value, want)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return "there is no param " + name
	}
	return err.Error()
}
