package netlist

import (
	"encoding/binary"

	"github.com/zeebo/blake3"

	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
)

// HashModule is a hash of what a module means: names as text, declarations, connections, expressions, delays and
// their unit; neither source positions nor attributes nor the ids of the name table enter it. Equal hashes mean that
// the module contributes the same to every design whose cells and other modules are the same.
func HashModule(names *scan.Names, m *verilog.Module) [32]byte {
	h := hasher{names: names, b3: blake3.New()}
	h.name(m.Name)
	h.flag(m.Behavioural, m.Celldefine, m.NoImplicit, m.Shaped, m.Overrides)
	h.num(m.UnitExp, int32(len(m.Ports)))
	for _, p := range m.Ports {
		h.name(p.Name)
		h.expr(m, p.Expr, 0)
	}
	h.num(int32(len(m.Nets)))
	for i := range m.Nets {
		n := &m.Nets[i]
		h.name(n.Name)
		h.num(n.Msb, n.Lsb, int32(n.Dir), int32(n.Kind))
		h.flag(n.Vector)
		h.delay(m, n.Delay)
	}
	h.num(int32(len(m.Insts)))
	for i := range m.Insts {
		in := &m.Insts[i]
		h.name(in.Name)
		h.name(in.Cell)
		h.num(int32(in.Prim), in.Msb, in.Lsb, in.NConn)
		h.flag(in.Array, in.Params)
		h.delay(m, in.Delay)
		for _, c := range m.Conns[in.Conn : in.Conn+in.NConn] {
			h.name(c.Port)
			h.expr(m, c.Expr, 0)
		}
	}
	h.num(int32(len(m.Assigns)))
	for i := range m.Assigns {
		a := &m.Assigns[i]
		h.expr(m, a.LHS, 0)
		h.expr(m, a.RHS, 0)
		h.delay(m, a.Delay)
	}
	h.flush()
	return [32]byte(h.b3.Sum(nil))
}

// hasher feeds length-prefixed fields to the hash.
type hasher struct {
	names *scan.Names
	b3    *blake3.Hasher
	buf   []byte
}

func (h *hasher) flush() {
	_, _ = h.b3.Write(h.buf) // never fails
	h.buf = h.buf[:0]
}

func (h *hasher) num(v ...int32) {
	for _, x := range v {
		h.buf = binary.LittleEndian.AppendUint32(h.buf, uint32(x))
	}
	if len(h.buf) > 1<<15 {
		h.flush()
	}
}

func (h *hasher) flag(v ...bool) {
	for _, x := range v {
		b := byte(0)
		if x {
			b = 1
		}
		h.buf = append(h.buf, b)
	}
}

func (h *hasher) name(id int32) {
	b := h.names.Bytes(id)
	h.num(int32(len(b)))
	h.buf = append(h.buf, b...)
}

func (h *hasher) delay(m *verilog.Module, d int32) {
	if d == None {
		h.num(0)
		return
	}
	x := &m.Delay[d]
	h.num(x.N)
	for _, v := range x.V[:x.N] {
		for _, c := range v {
			h.num(int32(c.Coef), int32(c.Coef>>32), c.Exp)
		}
	}
}

// expr hashes an expression by structure, so that the layout of the tables does not matter.
func (h *hasher) expr(m *verilog.Module, e int32, depth int) {
	if e == None || depth > maxNesting {
		h.num(-1)
		return
	}
	x := m.Exprs[e]
	h.num(int32(x.Op))
	switch x.Op {
	case verilog.Ref:
		h.name(x.A)
	case verilog.Select:
		h.name(x.A)
		h.num(x.B)
	case verilog.Part:
		h.name(x.A)
		h.num(x.B, x.C)
	case verilog.Const:
		h.num(x.B, x.C)
		h.buf = append(h.buf, m.Bits[x.A:x.A+x.B]...)
	case verilog.Concat:
		h.num(x.B)
		for _, k := range m.Lists[x.A : x.A+x.B] {
			h.expr(m, k, depth+1)
		}
	case verilog.Repl:
		h.num(x.A)
		h.expr(m, x.B, depth+1)
	default:
		for i := range operands(x.Op) {
			h.expr(m, [...]int32{x.A, x.B, x.C}[i], depth+1)
		}
	}
}
