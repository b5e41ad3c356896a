package design

import (
	"github.com/wattd/wattd/internal/format/sdf"
	"github.com/wattd/wattd/internal/names"
	"github.com/wattd/wattd/internal/netlist"
)

// SDFNames tells what the instance paths of an SDF file mean, by the same search as Compile.
type SDFNames struct{ a annotator }

// NewSDFNames begins at the scope where the file is mounted.
func NewSDFNames(nl *netlist.Netlist, mount int32) *SDFNames {
	return &SDFNames{annotator{b: &builder{nl: nl}, mount: mount}}
}

// Find says by which rule a path finds an instance, a primitive or a scope; Unbound when it finds none.
func (n *SDFNames) Find(path []byte, divider byte) names.Rule {
	a := &n.a
	a.comps, a.buf, _ = sdf.SplitPath(path, divider, a.comps, a.buf)
	if s, i, p := a.find(a.comps); s < 0 && i < 0 && p < 0 {
		return names.Unbound
	}
	nl, scope := a.b.nl, a.mount
	for k, c := range a.comps {
		if k == len(a.comps)-1 && (nl.FindInst(scope, c) >= 0 || nl.FindPrim(scope, c) >= 0) {
			return names.Exact
		}
		if scope = nl.ChildScope(scope, c); scope < 0 {
			return names.Flattened
		}
	}
	return names.Exact
}
