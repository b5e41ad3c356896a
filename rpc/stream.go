package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/wattd/wattd/rpc/api"
)

// maxFaults is how many messages in a row may be unreadable before the connection is given up.
const maxFaults = 100

var errStalled = errors.New("rpc: the peer began a message and did not go on")

// stream is the jsonrpc2.ObjectStream of a connection. It hands messages over one by one; current is the one that the library
// is handling, on the goroutine that reads.
type stream struct {
	rwc     io.ReadWriteCloser
	frames  frames
	writer  *writer
	options *Options
	server  bool // answer faults; a client gives up instead

	started chan struct{}
	current message
	rest    []message // of a batch
	faults  int       // in a row
	atEnd   func()    // called at the end of the input, before the library closes the connection
	onFault func(*fault)

	sending  *jsonrpc2.Request
	outgoing sync.Map // id to bytes of calls that are being sent

	bytesIn atomic.Int64
	stall   *time.Timer
	closed  sync.Once
	closing atomic.Bool
	cause   atomic.Pointer[error] // why reading ended
}

func newStream(rwc io.ReadWriteCloser, opt *Options, server bool, failed func(error)) *stream {
	s := &stream{rwc: rwc, options: opt, server: server, started: make(chan struct{})}
	s.frames.max = opt.MaxMessage
	s.frames.r = bufio.NewReaderSize(counted{s}, 64<<10)
	s.frames.framing.Store(int32(opt.Framing))
	s.writer = newWriter(rwc, &s.frames.framing, opt, failed)
	s.stall = time.AfterFunc(time.Hour, func() { s.cause.CompareAndSwap(nil, &errStalled); rwc.Close() })
	s.stall.Stop()
	return s
}

// counted reads from the connection. A message that has begun must go on: while the rest of it is awaited a timer runs. Between
// messages a peer may be silent for ever.
type counted struct{ s *stream }

func (c counted) Read(p []byte) (int, error) {
	if c.s.frames.inMessage {
		c.s.stall.Reset(c.s.options.ReadTimeout)
		defer c.s.stall.Stop()
	}
	n, err := c.s.rwc.Read(p)
	c.s.bytesIn.Add(int64(n))
	return n, err
}

// ReadObject gives the next message to the library, and itself answers what is none.
func (s *stream) ReadObject(v any) error {
	<-s.started // the library reads before it has told us who it is
	m, err := s.next()
	if err != nil {
		if !s.closing.Load() { // else it is our own doing
			s.cause.CompareAndSwap(nil, &err)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			s.atEnd()
		}
		return err
	}
	s.current = m
	return v.(json.Unmarshaler).UnmarshalJSON(m.stub())
}

func (s *stream) next() (message, error) {
	for {
		if len(s.rest) > 0 {
			m := s.rest[0]
			s.rest = s.rest[1:]
			return m, nil
		}
		data, err := s.frames.next()
		if e, ok := err.(*api.Error); ok {
			if err := s.refuse(&fault{null, e}, nil); err != nil {
				return message{}, err
			}
			continue
		}
		if err != nil {
			return message{}, err
		}
		m, elements, f := parse(data)
		switch {
		case f != nil:
			if err := s.refuse(f, nil); err != nil {
				return message{}, err
			}
		case elements == nil:
			s.faults = 0
			return m, nil
		default:
			if err := s.split(elements); err != nil {
				return message{}, err
			}
		}
	}
}

// split takes a batch apart. Its answers are gathered.
func (s *stream) split(elements []json.RawMessage) error {
	if len(elements) > s.options.MaxBatch {
		return s.refuse(&fault{null, api.Errorf(api.TooLarge, "a batch of %d; the limit is %d", len(elements), s.options.MaxBatch)}, nil)
	}
	b := &batch{writer: s.writer}
	var faults []*fault
	for _, e := range elements {
		m, f := parseObject(e)
		switch {
		case f != nil:
			faults = append(faults, f)
			if f.id != nil {
				b.open++
			}
			continue
		case m.isRequest() && m.id != nil:
			b.open++
			m.batch = b
		}
		s.rest = append(s.rest, m)
	}
	if len(s.rest) > 0 {
		s.faults = 0
	}
	for _, f := range faults {
		if err := s.refuse(f, b); err != nil {
			return err
		}
	}
	return nil
}

// refuse answers a fault. It fails when there were too many, and on the client's side always.
func (s *stream) refuse(f *fault, b *batch) error {
	if s.onFault != nil {
		s.onFault(f)
	}
	if s.faults++; s.faults > maxFaults || !s.server {
		return f.err
	}
	if f.id == nil {
		return nil
	}
	return answer(s.writer, b, failure(f.id, f.err))
}

// sends is told by the library which call WriteObject is for; both are called under its lock.
func (s *stream) sends(req *jsonrpc2.Request, _ *jsonrpc2.Response) { s.sending = req }

// WriteObject sends a call to the peer. Everything else is sent without the library.
func (s *stream) WriteObject(any) error {
	body, ok := s.outgoing.Load(s.sending.ID.Num)
	if !ok {
		return errClosed
	}
	return s.writer.send(body.([]byte))
}

// Close ends both directions; what was not written is lost.
func (s *stream) Close() error {
	var err error
	s.closed.Do(func() {
		s.closing.Store(true)
		s.stall.Stop()
		s.writer.fail(errClosed)
		err = s.rwc.Close()
	})
	return err
}

// batch gathers the answers to the requests that came in one array.
type batch struct {
	writer *writer
	mu     sync.Mutex
	open   int // answers that are missing
	parts  [][]byte
}

func (b *batch) add(part []byte) error {
	b.mu.Lock()
	b.parts = append(b.parts, part)
	b.open--
	ready := b.open == 0
	b.mu.Unlock()
	if !ready {
		return nil
	}
	all := append([]byte{'['}, bytes.Join(b.parts, []byte{','})...)
	return b.writer.send(append(all, ']'))
}

func answer(w *writer, b *batch, body []byte) error {
	if b != nil {
		return b.add(body)
	}
	return w.send(body)
}

// success is the answer to a request. The result is JSON.
func success(id json.RawMessage, result []byte) []byte {
	b := make([]byte, 0, len(result)+len(id)+40)
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id...)
	b = append(append(b, `,"result":`...), result...)
	return append(b, '}')
}

// failure is the answer to a request that failed.
func failure(id json.RawMessage, e *api.Error) []byte {
	body, err := encode(e)
	if err != nil { // cannot be: an Error has only texts and integers
		body = []byte(`{"code":-32603,"message":"the error could not be encoded","data":{"kind":"internal"}}`)
	}
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(append(b, `,"error":`...), body...)
	return append(b, '}')
}

// encode is json.Marshal without the escapes that HTML needs: names are full of < and >.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
