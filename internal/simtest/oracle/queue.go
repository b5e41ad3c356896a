package oracle

import "container/heap"

// event is an output that will change.
type event struct {
	t  int64
	v  bool
	by Cause
}

// inertial is the output of a gate or wire: the last scheduled value, what is on its way, and what was seen last.
type inertial struct {
	y    bool    // last scheduled
	pend []event // not yet passed, in order of time

	filtered, errors int64
}

// schedule takes a new function value v at tick t with delay d and limits r and e. It reports the tick of a new event,
// or ok false.
func (q *inertial) schedule(t int64, v bool, d, r, e int64, by Cause) (at int64, ok bool) {
	q.y = v
	if n := len(q.pend); n > 0 {
		p := q.pend[n-1].t
		width := t + d - p
		if width < r || width <= 0 {
			q.pend = q.pend[:n-1]
			q.filtered++
			return 0, false
		}
		if width < e {
			q.errors++
		}
	}
	q.pend = append(q.pend, event{t + d, v, by})
	return t + d, true
}

// passed removes and returns the event due at or before t, after the evaluation of tick t.
func (q *inertial) passed(t int64) (event, bool) {
	if len(q.pend) == 0 || q.pend[0].t > t {
		return event{}, false
	}
	ev := q.pend[0]
	q.pend = q.pend[1:]
	return ev, true
}

// item asks for an element to be looked at: by tick, then in the order in which values flow within a tick.
type item struct {
	t     int64
	order int
}

// agenda is the queue of all events.
type agenda []item

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].t < a[j].t || a[i].t == a[j].t && a[i].order < a[j].order
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push implements heap.Interface.
func (a *agenda) Push(x any) { *a = append(*a, x.(item)) }

// Pop implements heap.Interface.
func (a *agenda) Pop() any {
	old := *a
	x := old[len(old)-1]
	*a = old[:len(old)-1]
	return x
}

func (a *agenda) add(t int64, order int) { heap.Push(a, item{t, order}) }

// next takes the first item and all that equal it.
func (a *agenda) next() (item, bool) {
	if a.Len() == 0 {
		return item{}, false
	}
	it := heap.Pop(a).(item)
	for a.Len() > 0 && (*a)[0] == it {
		heap.Pop(a)
	}
	return it, true
}
