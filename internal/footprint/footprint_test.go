package footprint

import "testing"

func TestTallyCountsSharedArraysOnce(t *testing.T) {
	a := make([]int32, 100)
	var x Tally
	if !Slice(&x, a) || Slice(&x, a) || Slice(&x, a[:10]) {
		t.Error("the same array is new again")
	}
	if Slice(&x, a[:10:10]); x.Bytes() != 400 {
		t.Errorf("one array of 400 bytes: %d", x.Bytes())
	}
	Slice(&x, []int32(nil))
	Slice(&x, make([]struct{ _, _ int64 }, 3))
	if x.Bytes() != 448 {
		t.Errorf("two arrays: %d", x.Bytes())
	}
	var y Tally
	Slice(&y, a[:10:10])
	Slice(&y, a)
	if y.Bytes() != 400 {
		t.Errorf("the clipped one first: %d", y.Bytes())
	}
	m := map[int32]int32{1: 2}
	if !Map(&y, m) || Map(&y, m) || y.Bytes() <= 400 {
		t.Error("a map")
	}
}

func TestDeepFollowsReferencesOnce(t *testing.T) {
	type node struct {
		next *node
		name string
		list []int64
		any  any
		m    map[string]int
	}
	a := &node{name: "abcd", list: make([]int64, 4)}
	a.next = a
	if got, want := Deep(a), int64(72+4+32); got != want {
		t.Errorf("a ring of one: %d, want %d", got, want)
	}
	a.any, a.m = int64(3), map[string]int{"x": 1}
	if got := Deep(a); got <= 72+4+32+8+1+24 {
		t.Errorf("with a map: %d", got)
	}
	if Deep(nil) != 0 || Deep((*node)(nil)) != 0 {
		t.Error("nil is something")
	}
}
