package rpc

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errClosed = errors.New("rpc: the connection is closed")
	errSlow   = errors.New("rpc: the peer does not read")
)

// writeChunk is written at a time, so that a large message on a slow line makes progress that the deadline sees, and small
// messages go together.
const writeChunk = 256 << 10

// frame is a message that waits to be written.
type frame struct {
	body      []byte // whole, or up to the params
	params    []byte // of a message that may be dropped
	key       string // messages of one key replace each other
	droppable bool
}

// overflowed marks what follows a dropped message.
const overflowed = `"overflow":true`

func (f *frame) size() int64 { return int64(len(f.body) + len(f.params)) }

// writer owns the writing side. Answers wait for room; messages that may be dropped never wait: the oldest of them goes.
type writer struct {
	conn    io.WriteCloser
	framing *atomic.Int32
	timeout time.Duration
	max     int64 // bytes that may wait
	most    int   // droppable messages that may wait
	failed  func(error)

	mu       sync.Mutex
	changed  *sync.Cond
	queue    []frame
	bytes    int64
	loose    int // droppable messages in the queue
	lost     map[string]bool
	dropped  int64
	writing  bool
	err      error // why nothing is written any more
	done     chan struct{}
	bytesOut atomic.Int64
}

func newWriter(conn io.WriteCloser, framing *atomic.Int32, opt *Options, failed func(error)) *writer {
	w := &writer{conn: conn, framing: framing, timeout: opt.WriteTimeout, max: opt.QueueBytes, most: opt.Notifications, failed: failed, lost: map[string]bool{}, done: make(chan struct{})}
	w.changed = sync.NewCond(&w.mu)
	go w.run()
	return w
}

// send queues a message. It waits while the queue is full, at most until the peer has not read for the write timeout.
func (w *writer) send(body []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	// one message may be larger than the room: it waits until it is alone
	for w.err == nil && w.bytes > 0 && w.bytes+int64(len(body)) > w.max {
		w.changed.Wait()
	}
	if w.err != nil {
		return w.err
	}
	w.push(frame{body: body})
	return nil
}

// publish queues a notification that may be dropped. It does not wait.
func (w *writer) publish(key string, head, params []byte) error {
	f := frame{body: head, params: params, key: key, droppable: true}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	for w.loose > 0 && (w.loose >= w.most || w.bytes+f.size() > w.max) {
		w.drop(key)
	}
	if w.bytes > 0 && w.bytes+f.size() > w.max { // answers fill the queue
		w.lost[key] = true
		w.dropped++
		return nil
	}
	w.push(f)
	return nil
}

func (w *writer) push(f frame) {
	w.queue = append(w.queue, f)
	w.bytes += f.size()
	if f.droppable {
		w.loose++
	}
	w.changed.Broadcast()
}

// drop removes the oldest droppable message of a key, or of any when that has none.
func (w *writer) drop(key string) {
	at := -1
	for i := range w.queue {
		if f := &w.queue[i]; f.droppable && (at < 0 || f.key == key) {
			if at = i; f.key == key {
				break
			}
		}
	}
	f := w.queue[at]
	w.queue = append(w.queue[:at], w.queue[at+1:]...)
	w.bytes -= f.size()
	w.loose--
	w.lost[f.key] = true
	w.dropped++
}

// run writes until the writer fails or is closed.
func (w *writer) run() {
	defer close(w.done)
	watch := time.AfterFunc(time.Hour, func() { w.fail(errSlow); w.conn.Close() })
	defer watch.Stop()
	watch.Stop()
	var buf []byte
	for {
		var ok bool
		if buf, ok = w.take(buf[:0]); !ok {
			return
		}
		size := len(buf)
		for b := buf; len(b) > 0; {
			n := min(len(b), writeChunk)
			watch.Reset(w.timeout)
			n, err := w.conn.Write(b[:n])
			watch.Stop()
			w.bytesOut.Add(int64(n))
			if err != nil {
				w.fail(err)
				w.conn.Close() // the reader learns it so
				return
			}
			b = b[n:]
		}
		if cap(buf) > 4*writeChunk {
			buf = nil
		}
		w.mu.Lock()
		w.bytes -= int64(size)
		w.writing = false
		w.changed.Broadcast()
		w.mu.Unlock()
	}
}

// take encodes what waits, at least a message, up to a chunk. The room that it took is free once it is written.
func (w *writer) take(buf []byte) ([]byte, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) == 0 && w.err == nil {
		w.changed.Wait()
	}
	if w.err != nil {
		return nil, false
	}
	n, taken := 0, int64(0)
	for n < len(w.queue) && (n == 0 || int64(len(buf))+w.queue[n].size() < writeChunk) {
		f := &w.queue[n]
		taken += f.size()
		buf = w.encode(buf, f)
		n++
	}
	w.queue = w.queue[:copy(w.queue, w.queue[n:])]
	clear(w.queue[len(w.queue) : len(w.queue)+n])
	w.bytes += int64(len(buf)) - taken
	w.writing = true
	return buf, true
}

func (w *writer) encode(buf []byte, f *frame) []byte {
	mark := f.droppable && w.lost[f.key]
	size := len(f.body)
	if f.droppable {
		w.loose--
		size += len(f.params) + 1
		if mark {
			delete(w.lost, f.key)
			if size += len(overflowed); len(f.params) > 2 {
				size++
			}
		}
	}
	headers := Framing(w.framing.Load()) == Headers
	if headers {
		buf = fmt.Appendf(buf, "Content-Length: %d\r\n\r\n", size)
	}
	buf = append(buf, f.body...)
	switch {
	case mark:
		buf = append(append(buf, '{'), overflowed...)
		if len(f.params) > 2 { // not {}
			buf = append(buf, ',')
		}
		buf = append(append(buf, f.params[1:]...), '}')
	case f.droppable:
		buf = append(append(buf, f.params...), '}')
	}
	if !headers {
		buf = append(buf, '\n')
	}
	return buf
}

// flush waits until all is written, or nothing will be.
func (w *writer) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.err == nil && (len(w.queue) > 0 || w.writing) {
		w.changed.Wait()
	}
}

// fail ends the writing; what waits is lost.
func (w *writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		w.failed(err) // nobody works for a peer that does not get it
	}
	w.queue, w.bytes = nil, 0
	w.changed.Broadcast()
}

func (w *writer) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
