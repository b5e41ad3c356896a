package wave

import (
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/vcd"
	"github.com/wattd/wattd/internal/names"
	"github.com/wattd/wattd/internal/netlist"
)

// loose tries the variables that no exact name bound for the wanted nets that are still without one, under every spelling
// that the name resolver knows. A net gets the first variable that means it.
func (x *Dump) loose(nl *netlist.Netlist, index []int32, bound []bool, bits *[]bit, bag *diag.Bag) int64 {
	left := 0
	for _, b := range bound {
		if !b {
			left++
		}
	}
	if left == 0 {
		return 0
	}
	r := names.New(nl, names.Options{})
	n := int64(0)
	x.b.unboundVars(x.scope, func(v *vcd.Var, path []byte) bool {
		x.b.eachName(v, path, func(text []byte, at int32) {
			net, how := r.Net(names.Spelling{Format: names.VCD}, text)
			if how.Rule == names.Unbound || how.Rule == names.TopName || index[net] < 0 || bound[index[net]] {
				return
			}
			bound[index[net]] = true
			*bits = append(*bits, bit{net: index[net], id: v.ID, at: at})
			bag.Add(diag.StimFuzzy, v.Pos, "%s is net %s by rule %s", text, nl.NetName(net), how.Rule)
			n++
			left--
		})
		return left > 0
	})
	return n
}

// unboundVars calls f for every variable at or below a scope of which no bit has an exact name, with the path of its scope below that one
// as written, until f returns false.
func (b *binder) unboundVars(scope int32, f func(v *vcd.Var, path []byte) bool) {
	type place struct {
		dump, net int32 // net None: the scope is not one of the netlist
		path      []byte
	}
	work := []place{{scope, 0, nil}}
	for len(work) > 0 {
		w := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range b.vars[w.dump] {
			v := &b.h.Vars[i]
			hit := false
			if w.net >= 0 {
				b.variable(w.net, v, func(bit) { hit = true })
			}
			if !hit && v.Width > 0 && !f(v, w.path) {
				return
			}
		}
		for _, k := range b.kids[w.dump] {
			net := None
			if w.net >= 0 {
				net = b.nl.ChildScope(w.net, []byte(b.names[k]))
			}
			path := append(append(append([]byte{}, w.path...), b.h.Scopes[k].Name...), spaceAfter(b.h.Scopes[k].Name)...)
			work = append(work, place{k, net, append(path, '.')})
		}
	}
}

// spaceAfter ends an escaped name.
func spaceAfter(name string) string {
	if name != "" && name[0] == '\\' && name[len(name)-1] != ' ' {
		return " "
	}
	return ""
}

// eachName spells every bit of a variable, with its place in the value.
func (b *binder) eachName(v *vcd.Var, path []byte, f func(text []byte, at int32)) {
	text := append(append(append([]byte{}, path...), v.Name...), spaceAfter(v.Name)...)
	if v.Width == 1 && !v.HasRange {
		f(text, 0)
		return
	}
	msb, lsb := v.Msb, v.Lsb
	if !v.HasRange {
		msb, lsb = v.Width-1, 0
	}
	step := int32(1)
	if msb > lsb {
		step = -1
	}
	n := len(text)
	for at, i := int32(0), msb; at < v.Width; at, i = at+1, i+step {
		text = append(text[:n], '[')
		text = append(text, itoa(int64(i))...)
		f(append(text, ']'), at)
		if i == lsb {
			return
		}
	}
}

// Find says which variable of the dump has the values of a net and by which rule; ok is false when none has.
func (x *Dump) Find(nl *netlist.Netlist, net int32) (name, rule string, ok bool) {
	if !x.ok {
		return "", "", false
	}
	x.b.each(x.scope, func(v *vcd.Var, scope int32, b bit) {
		if b.net == net && !ok {
			name, rule, ok = x.b.path(v.Scope)+"."+unescape(v.Name), names.Exact.String(), true
			if v.Width > 1 {
				name += " bit " + itoa(int64(b.at)) + " from the left"
			}
		}
	})
	if ok {
		return name, rule, true
	}
	r := names.New(nl, names.Options{})
	x.b.unboundVars(x.scope, func(v *vcd.Var, path []byte) bool {
		x.b.eachName(v, path, func(text []byte, at int32) {
			if n, how := r.Net(names.Spelling{Format: names.VCD}, text); !ok && n == net && how.Rule != names.Unbound && how.Rule != names.TopName {
				name, rule, ok = string(text), how.Rule.String(), true
			}
		})
		return !ok
	})
	return name, rule, ok
}
