package cache

import (
	"container/list"
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// memory is a map bounded in bytes; the entry used longest ago goes first.
type memory struct {
	mu      sync.Mutex
	budget  int64
	used    int64
	entries map[Key]*list.Element
	order   list.List // front: used last
	evicted *atomic.Uint64
}

type memoryEntry struct {
	key   Key
	value []byte
}

// entryOverhead is what an entry costs besides its bytes: map slot, list element, headers.
const entryOverhead = 192

func newMemory(budget int64, evicted *atomic.Uint64) *memory {
	return &memory{budget: budget, entries: map[Key]*list.Element{}, evicted: evicted}
}

func (m *memory) get(k Key) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[k]
	if !ok {
		return nil, false
	}
	m.order.MoveToFront(e)
	return e.Value.(*memoryEntry).value, true
}

func (m *memory) has(k Key) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.entries[k]
	return ok
}

// put takes v over.
func (m *memory) put(k Key, v []byte) bool {
	cost := int64(len(v)) + entryOverhead
	m.mu.Lock()
	defer m.mu.Unlock()
	if cost > m.budget {
		return false
	}
	if _, ok := m.entries[k]; ok {
		return true
	}
	m.entries[k] = m.order.PushFront(&memoryEntry{k, v})
	m.used += cost
	for m.used > m.budget {
		m.drop(m.order.Back())
		m.evicted.Add(1)
	}
	return true
}

func (m *memory) drop(e *list.Element) {
	entry := m.order.Remove(e).(*memoryEntry)
	delete(m.entries, entry.key)
	m.used -= int64(len(entry.value)) + entryOverhead
}

func (m *memory) remove(k Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.entries[k]; ok {
		m.drop(e)
	}
}

func (m *memory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.entries)
	m.order.Init()
	m.used = 0
}

// shut makes every later put a drop.
func (m *memory) shut() {
	m.clear()
	m.mu.Lock()
	m.budget = 0
	m.mu.Unlock()
}

func (m *memory) size() (bytes, entries int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used, int64(len(m.entries))
}

var errTooLarge = errors.New("cache: larger than the budget")

// putFrom stores what w writes, and stops it once it is beyond the budget.
func (m *memory) putFrom(k Key, w io.WriterTo) error {
	if m.has(k) {
		return nil
	}
	m.mu.Lock()
	b := boundedBuffer{room: m.budget - entryOverhead}
	m.mu.Unlock()
	if _, err := w.WriteTo(&b); err != nil {
		return err
	}
	if !m.put(k, b.bytes) {
		return errTooLarge
	}
	return nil
}

type boundedBuffer struct {
	bytes []byte
	room  int64
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if int64(len(b.bytes)+len(p)) > b.room {
		return 0, errTooLarge
	}
	b.bytes = append(b.bytes, p...)
	return len(p), nil
}
