package wave

import (
	"github.com/wattd/wattd/internal/format/vcd"
	"github.com/wattd/wattd/internal/names"
	"github.com/wattd/wattd/internal/netlist"
)

// EachName calls f for every bit of every variable at or below the scope of the design, with the rule that binds its name to a net:
// Exact, one of the loose rules, which count only where no exact name is, or Unbound. It stops when f returns false. text is valid
// until f returns.
func (x *Dump) EachName(nl *netlist.Netlist, f func(text []byte, line int, rule names.Rule) bool) {
	if !x.ok {
		return
	}
	goOn := true
	x.b.each(x.scope, func(v *vcd.Var, _ int32, _ bit) {
		goOn = goOn && f([]byte(v.Name), v.Pos.Line, names.Exact)
	})
	r := names.New(nl, names.Options{})
	x.b.unboundVars(x.scope, func(v *vcd.Var, path []byte) bool {
		x.b.eachName(v, path, func(text []byte, _ int32) {
			if !goOn {
				return
			}
			_, how := r.Net(names.Spelling{Format: names.VCD}, text)
			if how.Rule == names.TopName { // the scope of the design is found already; a path that names the top is of something else
				how.Rule = names.Unbound
			}
			goOn = f(text, v.Pos.Line, how.Rule)
		})
		return goOn
	})
}
