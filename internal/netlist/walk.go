package netlist

// The methods below let package names walk all names of a design without knowing this package's types.

// NameBytes returns the text of a name id; the caller must not change it.
func (nl *Netlist) NameBytes(id int32) []byte { return nl.Names.Bytes(id) }

// NumScopes is the number of scopes; 0 is the top.
func (nl *Netlist) NumScopes() int32 { return int32(len(nl.Scopes)) }

// ScopeAt returns parent and instance name of a scope; the top has no parent and the name of its module.
func (nl *Netlist) ScopeAt(scope int32) (parent, name int32) {
	return nl.Scopes[scope].Parent, nl.Scopes[scope].Name
}

// NumInsts is the number of leaf instances.
func (nl *Netlist) NumInsts() int32 { return int32(len(nl.Insts)) }

// InstAt returns scope and name of a leaf instance; the name is 0 where an edit took it away.
func (nl *Netlist) InstAt(inst int32) (scope, name int32) {
	return nl.Insts[inst].Scope, nl.Insts[inst].Name
}

// EachDecl yields the name ids of the nets declared in a scope, in order of declaration, until yield says stop.
func (nl *Netlist) EachDecl(scope int32, yield func(name int32) bool) {
	mn := &nl.lookup.mods[nl.lookup.scopes[scope].mod]
	for i, name := range mn.nets.key {
		if i >= len(mn.decls) || name >= 0 && !yield(name) {
			return
		}
	}
}

// InstPinName returns the name of a pin of a leaf instance.
func (nl *Netlist) InstPinName(inst, pin int32) string { return nl.PinName(nl.Insts[inst].Cell, pin) }
