package netlist

import (
	"testing"
)

// names lists the printed name of every net in use, by number.
func (nl *Netlist) numbered() map[string]int32 {
	m := map[string]int32{}
	for n := int32(2); int(n) < len(nl.Nets); n++ {
		if nl.Nets[n].Flags&NetHole == 0 {
			m[nl.NetName(n)] = n
		}
	}
	return m
}

func TestStabilize(t *testing.T) {
	const before = `module sub(input i, output o); wire m; BUF u1(.A(i),.Y(m)); BUF u2(.A(m),.Y(o)); endmodule
module top(input a, input b, output y, output z); wire gone; wire [1:0] v;
sub h1(.i(a),.o(y)); sub h2(.i(b),.o(z)); BUF g(.A(b),.Y(gone)); assign v = {a, ~b}; endmodule`
	const after = `module sub(input i, output o); wire first, m; BUF u0(.A(i),.Y(first)); BUF u1(.A(first),.Y(m)); BUF u2(.A(m),.Y(o)); endmodule
module top(input a, input b, output y, output z); wire [1:0] v;
sub h1(.i(a),.o(y)); sub h2(.i(b),.o(z)); assign v = {a, ~b}; endmodule`
	old, nl := mustLink(t, before), mustLink(t, after)
	was := old.numbered()
	nl.Stabilize(old, 0)
	for name, n := range nl.numbered() {
		if o, ok := was[name]; ok && o != n {
			t.Errorf("net %s moved from %d to %d", name, o, n)
		} else if !ok && int(n) < len(old.Nets) {
			t.Errorf("new net %s has the number %d of an old one", name, n)
		}
	}
	if n := was["gone"]; nl.Nets[n].Flags&NetHole == 0 {
		t.Errorf("the number %d of a net that is gone is in use", n)
	}
	// what the netlist says must not have changed: pins, ports and look-ups follow
	fresh := mustLink(t, after)
	for i := range fresh.PinNet {
		if f, s := fresh.PinNet[i], nl.PinNet[i]; (f < 0) != (s < 0) || f > Const1 && fresh.NetName(f) != nl.NetName(s) {
			t.Fatalf("pin %d is on %d and %d", i, f, s)
		}
	}
	for i := range fresh.Ports {
		if fresh.NetName(fresh.Ports[i].Net) != nl.NetName(nl.Ports[i].Net) {
			t.Errorf("port %d moved", i)
		}
	}
	h1 := nl.ChildScope(0, []byte("h1"))
	if n := nl.FindNet(h1, []byte("first"), NoBit); n < 0 || nl.NetName(n) != "h1/first" {
		t.Errorf("h1/first is found as %d", n)
	}
	if n := nl.FindNet(0, []byte("v"), 0); n < 0 || nl.NetName(n) != "v[0]" {
		t.Errorf("v[0] is found as %d", n)
	}
}

func mustLink(t *testing.T, text string) *Netlist {
	t.Helper()
	nl, bag := link(t, text)
	if nl == nil || bag.Errors() > 0 {
		t.Fatalf("link: %v", bag.Totals())
	}
	return nl
}
