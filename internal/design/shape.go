package design

import (
	"encoding/binary"
	"fmt"

	"github.com/wattd/wattd/internal/logic"
	"github.com/wattd/wattd/kernel"
)

// slotRef says which entries make up a slot of a shape: the smallest value of the listed entries for one output edge.
type slotRef struct {
	pin  int32 // gate pin
	out  uint8 // 0 rise, 1 fall
	from []entryRef
}

type entryRef struct {
	edge  uint8 // 0 falling, 1 rising input
	index int32
}

// shapeInfo is a shape with the recipe of its slots.
type shapeInfo struct {
	id    int32
	slots []slotRef
}

// shapes interns arc maps. Two gates share one when their function, variables and entries (conditions and which edges have
// values, in order) are the same.
type shapes struct {
	b    *builder
	seen overlay[string, *shapeInfo]
	key  []byte
}

// arcPin is a gate pin with its entries; pair nil for pins that have none.
type arcPin struct {
	pair *pair
	prim bool // of a primitive: a delay, not an arc, so --pulse-reject does not apply
}

// get returns the shape of a gate with the given function. variant identifies fn; expr gives the expression of a condition
// over the variables of fn.
func (s *shapes) get(variant int32, fn *function, fnID int32, pins []arcPin, expr func(pin int, cond int32) *logic.Expr) (*shapeInfo, error) {
	k := binary.AppendVarint(s.key[:0], int64(variant))
	k = binary.AppendVarint(k, int64(len(fn.obs)))
	for _, o := range fn.obs {
		k = append(k, o...)
		k = append(k, 0)
	}
	for _, p := range pins {
		if p.pair == nil {
			k = append(k, 0xff)
			continue
		}
		for e := range p.pair.entries {
			k = binary.AppendVarint(k, int64(len(p.pair.entries[e])))
			for i := range p.pair.entries[e] {
				x := &p.pair.entries[e][i]
				k = binary.AppendVarint(k, int64(x.cond)<<2|int64(x.has))
			}
		}
	}
	s.key = k
	if in, ok := lookup(&s.seen, k); ok {
		return in, nil
	}
	in, err := s.build(fn, fnID, pins, expr)
	if err == nil {
		s.seen.put(string(k), in)
	}
	return in, err
}

func (s *shapes) build(fn *function, fnID int32, pins []arcPin, expr func(int, int32) *logic.Expr) (*shapeInfo, error) {
	in := &shapeInfo{id: int32(len(s.b.prog.Shapes))}
	slotOf := map[string]int16{}
	slot := func(r slotRef) int16 {
		k := fmt.Sprint(r.pin, r.out, r.from)
		if i, ok := slotOf[k]; ok {
			return i
		}
		i := int16(len(in.slots))
		slotOf[k] = i
		in.slots = append(in.slots, r)
		return i
	}
	sh := kernel.Shape{}
	vars := fn.nvar()
	holes := make([][2]bool, len(pins)) // pin, out: some state has no delay
	var err error
	if vars <= kernel.DenseVars && s.b.fns.info[fnID].table != nil {
		err = s.dense(&sh, fn, fnID, pins, expr, slot, holes)
	} else {
		sh.List = true
		err = s.list(&sh, fn, pins, expr, slot, holes)
	}
	if err != nil {
		return nil, err
	}
	p := s.b.prog
	sh.Fall = int32(len(p.SlotMap))
	for pin := range pins {
		for _, out := range []uint8{1, 0} { // the kernel counts edges 0 fall, 1 rise
			r := slotRef{pin: int32(pin), out: out}
			if pr := pins[pin].pair; pr != nil && holes[pin][out] {
				for e := 1; e >= 0; e-- {
					for i := range pr.entries[e] {
						if pr.entries[e][i].has>>out&1 != 0 {
							r.from = append(r.from, entryRef{uint8(e), int32(i)})
						}
					}
				}
			}
			v := kernel.NoSlot
			if len(r.from) > 0 {
				v = slot(r)
			}
			p.SlotMap = append(p.SlotMap, v)
		}
	}
	if len(in.slots) > 1<<15-1 {
		return nil, fmt.Errorf("%d different delays; at most 32767", len(in.slots))
	}
	sh.NSlot = int32(len(in.slots))
	p.Shapes = append(p.Shapes, sh)
	return in, nil
}

// dense tabulates the slot of every pin and state.
func (s *shapes) dense(sh *kernel.Shape, fn *function, fnID int32, pins []arcPin, expr func(int, int32) *logic.Expr, slot func(slotRef) int16, holes [][2]bool) error {
	p := s.b.prog
	vars := fn.nvar()
	inner := len(fn.pins) + len(fn.bits)
	table := s.b.fns.info[fnID].table
	sh.Map = int32(len(p.SlotMap))
	for pin, ap := range pins {
		var conds [2][][]uint64
		if ap.pair != nil {
			for e := range ap.pair.entries {
				for i := range ap.pair.entries[e] {
					var w []uint64
					if c := ap.pair.entries[e][i].cond; c >= 0 {
						var err error
						if w, err = logic.Tabulate(expr(pin, c), vars, fn.index); err != nil {
							return err
						}
					}
					conds[e] = append(conds[e], w)
				}
			}
		}
		for st := range 1 << vars {
			if ap.pair == nil {
				p.SlotMap = append(p.SlotMap, kernel.NoSlot)
				continue
			}
			e := uint8(st >> pin & 1)
			low := st & (1<<inner - 1)
			out := uint8(1 - table[low>>6]>>(low&63)&1)
			r := slotRef{pin: int32(pin), out: out}
			es := ap.pair.entries[e]
			for i := range es {
				if w := conds[e][i]; w != nil && es[i].has>>out&1 != 0 && w[st>>6]>>(st&63)&1 != 0 {
					r.from = append(r.from, entryRef{e, int32(i)})
				}
			}
			if len(r.from) == 0 && len(es) > 0 && es[0].cond == condNone && es[0].has>>out&1 != 0 {
				r.from = append(r.from, entryRef{e, 0})
			}
			if len(r.from) == 0 {
				holes[pin][out] = true
				p.SlotMap = append(p.SlotMap, kernel.NoSlot)
				continue
			}
			p.SlotMap = append(p.SlotMap, slot(r))
		}
	}
	return nil
}

// list writes the candidates of every pin and edge pair.
func (s *shapes) list(sh *kernel.Shape, fn *function, pins []arcPin, expr func(int, int32) *logic.Expr, slot func(slotRef) int16, holes [][2]bool) error {
	p := s.b.prog
	if len(p.ListOff) > 0 {
		p.ListOff = p.ListOff[:len(p.ListOff)-1] // the end of the last list is the start of ours
	}
	sh.Map = int32(len(p.ListOff))
	for pin, ap := range pins {
		for e := range uint8(2) {
			for _, out := range []uint8{1, 0} { // kernel edges: 0 fall, 1 rise
				p.ListOff = append(p.ListOff, int32(len(p.Cands)))
				if ap.pair == nil {
					continue
				}
				hole := true
				es := ap.pair.entries[e]
				var def *kernel.Cand
				for i := range es {
					if es[i].has>>out&1 == 0 {
						continue
					}
					c := kernel.Cand{Cond: -1, Slot: int32(slot(slotRef{int32(pin), out, []entryRef{{e, int32(i)}}}))}
					if es[i].cond == condNone {
						def, hole = &c, false
						continue
					}
					var err error
					if c.Cond, err = s.b.fns.code(expr(pin, es[i].cond), fn.index); err != nil {
						return err
					}
					p.Cands = append(p.Cands, c)
				}
				if def != nil {
					p.Cands = append(p.Cands, *def)
				}
				holes[pin][out] = holes[pin][out] || hole
			}
		}
	}
	p.ListOff = append(p.ListOff, int32(len(p.Cands)))
	return nil
}
