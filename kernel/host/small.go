package host

// The merges of gates with 1 to 4 pins. They are mergeSmall with one variable per pin: which pin comes next cannot be foreseen,
// so the pins advance without branches. (Computing the change of the output without a branch as well was slower.)

func (k *worker) merge1() {
	a := k.list[0]
	ia := k.at[0]
	table, slots, arcs, out, drops := k.table, k.slots, k.arcs, k.out, k.drops
	n, nDrop, state, y, length := k.nOut, 0, k.state, k.y, k.length
	last := int(out[n-1])
	evals := int64(0)
	for {
		ta := int(a[ia])
		t := ta
		if t >= length {
			break
		}
		evals++
		ia++
		state ^= 1
		v := table >> (state & 63) & 1
		if v == y {
			continue
		}
		y = v
		var d int
		if slot := slots[state]; slot >= 0 {
			d = int(arcs[slot])
		} else {
			d = k.dense(1, state, v)
		}
		if t+d-last < max(d, 1) {
			drops[nDrop] = int32(t)
			nDrop++
			n--
			last = int(out[n-1])
		} else {
			last = t + d
			out[n] = int32(last)
			n++
		}
	}
	k.at[0] = ia
	k.nOut, k.nDrop, k.state, k.y = n, nDrop, state, y
	k.stats.Evaluations += evals
}

func (k *worker) merge2() {
	a, b := k.list[0], k.list[1]
	ia, ib := k.at[0], k.at[1]
	table, slots, arcs, out, drops := k.table, k.slots, k.arcs, k.out, k.drops
	n, nDrop, state, y, length := k.nOut, 0, k.state, k.y, k.length
	last := int(out[n-1])
	evals := int64(0)
	for {
		ta := int(a[ia])
		tb := int(b[ib])
		t := min(ta, tb)
		if t >= length {
			break
		}
		evals++
		var sa, sb int
		if ta == t {
			sa = 1
		}
		if tb == t {
			sb = 1
		}
		ia += sa
		ib += sb
		switched := uint64(sa | sb<<1)
		state ^= switched
		v := table >> (state & 63) & 1
		if v == y {
			continue
		}
		y = v
		var d int
		slot := int16(-1)
		if switched&(switched-1) == 0 {
			slot = slots[switched>>1<<2|state]
		}
		if slot >= 0 {
			d = int(arcs[slot])
		} else {
			d = k.dense(switched, state, v)
		}
		if t+d-last < max(d, 1) {
			drops[nDrop] = int32(t)
			nDrop++
			n--
			last = int(out[n-1])
		} else {
			last = t + d
			out[n] = int32(last)
			n++
		}
	}
	k.at[0], k.at[1] = ia, ib
	k.nOut, k.nDrop, k.state, k.y = n, nDrop, state, y
	k.stats.Evaluations += evals
}

func (k *worker) merge3() {
	a, b, c := k.list[0], k.list[1], k.list[2]
	ia, ib, ic := k.at[0], k.at[1], k.at[2]
	table, slots, arcs, out, drops := k.table, k.slots, k.arcs, k.out, k.drops
	n, nDrop, state, y, length := k.nOut, 0, k.state, k.y, k.length
	last := int(out[n-1])
	evals := int64(0)
	for {
		ta := int(a[ia])
		tb := int(b[ib])
		tc := int(c[ic])
		t := min(ta, tb, tc)
		if t >= length {
			break
		}
		evals++
		var sa, sb, sc int
		if ta == t {
			sa = 1
		}
		if tb == t {
			sb = 1
		}
		if tc == t {
			sc = 1
		}
		ia += sa
		ib += sb
		ic += sc
		switched := uint64(sa | sb<<1 | sc<<2)
		state ^= switched
		v := table >> (state & 63) & 1
		if v == y {
			continue
		}
		y = v
		var d int
		slot := int16(-1)
		if switched&(switched-1) == 0 {
			slot = slots[switched>>1<<3|state]
		}
		if slot >= 0 {
			d = int(arcs[slot])
		} else {
			d = k.dense(switched, state, v)
		}
		if t+d-last < max(d, 1) {
			drops[nDrop] = int32(t)
			nDrop++
			n--
			last = int(out[n-1])
		} else {
			last = t + d
			out[n] = int32(last)
			n++
		}
	}
	k.at[0], k.at[1], k.at[2] = ia, ib, ic
	k.nOut, k.nDrop, k.state, k.y = n, nDrop, state, y
	k.stats.Evaluations += evals
}

func (k *worker) merge4() {
	a, b, c, d := k.list[0], k.list[1], k.list[2], k.list[3]
	ia, ib, ic, id := k.at[0], k.at[1], k.at[2], k.at[3]
	table, slots, arcs, out, drops := k.table, k.slots, k.arcs, k.out, k.drops
	n, nDrop, state, y, length := k.nOut, 0, k.state, k.y, k.length
	last := int(out[n-1])
	evals := int64(0)
	for {
		ta := int(a[ia])
		tb := int(b[ib])
		tc := int(c[ic])
		td := int(d[id])
		t := min(ta, tb, tc, td)
		if t >= length {
			break
		}
		evals++
		var sa, sb, sc, sd int
		if ta == t {
			sa = 1
		}
		if tb == t {
			sb = 1
		}
		if tc == t {
			sc = 1
		}
		if td == t {
			sd = 1
		}
		ia += sa
		ib += sb
		ic += sc
		id += sd
		switched := uint64(sa | sb<<1 | sc<<2 | sd<<3)
		state ^= switched
		v := table >> (state & 63) & 1
		if v == y {
			continue
		}
		y = v
		var d int
		slot := int16(-1)
		if switched&(switched-1) == 0 {
			slot = slots[(switched>>1-switched>>3)<<4|state]
		}
		if slot >= 0 {
			d = int(arcs[slot])
		} else {
			d = k.dense(switched, state, v)
		}
		if t+d-last < max(d, 1) {
			drops[nDrop] = int32(t)
			nDrop++
			n--
			last = int(out[n-1])
		} else {
			last = t + d
			out[n] = int32(last)
			n++
		}
	}
	k.at[0], k.at[1], k.at[2], k.at[3] = ia, ib, ic, id
	k.nOut, k.nDrop, k.state, k.y = n, nDrop, state, y
	k.stats.Evaluations += evals
}
