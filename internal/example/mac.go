package example

import "fmt"

// The widths of the example design.
const (
	operand = 8
	sum     = 20
)

// MAC builds the example design: two operand registers behind a clock gate, an array multiplier, and an accumulator with a
// clock gate of its own. At a rising edge of clk with en, a and b are taken; at the next one their product is added to
// acc, or with load replaces it, or with pass {b, a} is added instead of the product. parity and zero look at acc.
func MAC() *Module {
	reg := registers(operand)
	mul := multiplier(operand)
	add := accumulator(sum)
	m := &Module{Name: "mac", Ports: []Port{
		{Name: "clk"},
		{Name: "rst_n"},
		{Name: "en"},
		{Name: "load"},
		{Name: "pass"},
		{Name: "a", Width: operand},
		{Name: "b", Width: operand},
		{Name: "acc", Out: true, Width: sum},
		{Name: "zero", Out: true},
		{Name: "parity", Out: true},
	}}
	clk, rst := scalar("clk"), scalar("rst_n")

	// Clock tree: a root, a branch for the registers that always run, and the two gated ones.
	root, free := m.wire("clk_root"), m.wire("clk_free")
	m.gate("CLKBUF_4", "clkbuf_root", clk, root)
	m.gate("CLKBUF_4", "clkbuf_free", root, free)
	gated, leafA, leafB := m.wire("gclk_op"), m.wire("gclk_op_0"), m.wire("gclk_op_1")
	m.gate("CKGATE_1", "u_icg_op", root, scalar("en"), gated)
	m.gate("CLKBUF_4", "clkbuf_op_0", gated, leafA)
	m.gate("CLKBUF_4", "clkbuf_op_1", gated, leafB)
	rstBuf := m.wire("rst_n_buf")
	m.gate("BUF_2", "rstbuf", rst, rstBuf)

	// Control, with the names that synthesis gives to what it flattened.
	valid, loadQ, passQ := m.wire("u_ctl.valid"), m.wire("u_ctl.mode_q[0]"), m.wire("u_ctl.mode_q[1]")
	m.gate("DFFR_1", "u_ctl.valid_reg", free, scalar("en"), rstBuf, valid)
	m.gate("DFFR_1", "u_ctl.mode_q_reg[0]", leafA, scalar("load"), rstBuf, loadQ)
	m.gate("DFFR_1", "u_ctl.mode_q_reg[1]", leafB, scalar("pass"), rstBuf, passQ)
	gacc, leafC := m.wire("gclk_acc"), m.wire("gclk_acc_0")
	m.gate("CKGATE_1", "u_icg_acc", root, valid, gacc)
	m.gate("CLKBUF_4", "clkbuf_acc_0", gacc, leafC)

	aq, bq, p := m.bus("a_q", operand), m.bus("b_q", operand), m.bus("p", 2*operand)
	m.sub(reg, "u_a", []Net{leafA}, []Net{rstBuf}, vector("a", operand), aq)
	m.sub(reg, "u_b", []Net{leafB}, []Net{rstBuf}, vector("b", operand), bq)
	m.sub(mul, "u_mul", aq, bq, p)

	// The other operand of the adder: the product, or the operands side by side.
	term := m.bus("term", 2*operand)
	for i := range 2 * operand {
		side := aq
		if i >= operand {
			side = bq
		}
		m.gate("MUX2_1", fmt.Sprintf("u_pass_%d", i), p[i], side[i%operand], passQ, term[i])
	}
	accQ := m.bus("acc_q", sum)
	m.sub(add, "u_acc", []Net{leafC}, []Net{rstBuf}, []Net{loadQ}, term, accQ)
	m.Assigns = append(m.Assigns, [2]Port{{Name: "acc", Width: sum}, {Name: "acc_q", Width: sum}})

	// zero: a tree of NOR, NAND and NOR. parity: a chain of XOR, which glitches all the way.
	var nors, nands []Net
	for i := 0; i < sum; i += 2 {
		n := m.wire(fmt.Sprintf("nz_%d", i))
		m.gate("NOR2_1", fmt.Sprintf("u_nz_%d", i), accQ[i], accQ[i+1], n)
		nors = append(nors, n)
	}
	for i := 0; i+1 < len(nors); i += 2 {
		n := m.wire(fmt.Sprintf("nzz_%d", i))
		m.gate("NAND2_1", fmt.Sprintf("u_nzz_%d", i), nors[i], nors[i+1], n)
		nands = append(nands, n)
	}
	z0, z1 := m.wire("z0"), m.wire("z1")
	m.gate("NOR3_1", "u_z0", nands[0], nands[1], nands[2], z0)
	m.gate("NOR2_1", "u_z1", nands[3], nands[4], z1)
	m.gate("AND2_1", "u_zero", z0, z1, scalar("zero"))
	x := accQ[0]
	for i := 1; i < sum; i++ {
		y := scalar("parity")
		if i < sum-1 {
			y = m.wire(fmt.Sprintf("par_%d", i))
		}
		m.gate("XOR2_1", fmt.Sprintf("u_par_%d", i), x, accQ[i], y)
		x = y
	}
	return m
}

// registers is a bank of registers.
func registers(n int) *Module {
	m := &Module{Name: fmt.Sprintf("reg%d", n), Ports: []Port{{Name: "clk"}, {Name: "rst_n"}, {Name: "d", Width: n}, {Name: "q", Out: true, Width: n}}}
	for i := range n {
		m.gate("DFFR_1", fmt.Sprintf("q_reg[%d]", i), scalar("clk"), Net{"d", i}, scalar("rst_n"), Net{"q", i})
	}
	return m
}

// multiplier is an unsigned array multiplier: row i adds a & b[i], shifted by i, to what the rows above left.
func multiplier(n int) *Module {
	m := &Module{Name: fmt.Sprintf("mult%dx%d", n, n), Ports: []Port{{Name: "a", Width: n}, {Name: "b", Width: n}, {Name: "p", Out: true, Width: 2 * n}}}
	var above []Net // the running sum without the bits that are done; n bits, then a carry
	for i := range n {
		var pp []Net
		for j := range n {
			y := Net{"p", 0}
			if i+j > 0 {
				y = m.wire(fmt.Sprintf("pp_%d_%d", i, j))
			}
			if (i+j)%3 == 2 { // some partial products as NAND and INV, so that the array is not all alike
				t := m.wire(fmt.Sprintf("ppn_%d_%d", i, j))
				m.gate("NAND2_1", fmt.Sprintf("u_ppn_%d_%d", i, j), Net{"a", j}, Net{"b", i}, t)
				m.gate("INV_1", fmt.Sprintf("u_pp_%d_%d", i, j), t, y)
			} else {
				m.gate("AND2_1", fmt.Sprintf("u_pp_%d_%d", i, j), Net{"a", j}, Net{"b", i}, y)
			}
			pp = append(pp, y)
		}
		if i == 0 {
			above = pp[1:]
			continue
		}
		var next []Net
		var carry Net
		for j := range n {
			s, c := Net{"p", i}, Net{"p", 2*n - 1}
			if j > 0 {
				if i == n-1 {
					s = Net{"p", i + j}
				} else {
					s = m.wire(fmt.Sprintf("s_%d_%d", i, j))
				}
			}
			if i < n-1 || j < n-1 {
				c = m.wire(fmt.Sprintf("c_%d_%d", i, j))
			}
			switch {
			case j == 0:
				m.gate("HA_1", fmt.Sprintf("u_ha_%d_%d", i, j), pp[j], above[j], c, s)
			case j < len(above):
				m.gate("FA_1", fmt.Sprintf("u_fa_%d_%d", i, j), pp[j], above[j], carry, c, s)
			default:
				m.gate("HA_1", fmt.Sprintf("u_ha_%d_%d", i, j), pp[j], carry, c, s)
			}
			if j > 0 {
				next = append(next, s)
			}
			carry = c
		}
		above = append(next, carry)
	}
	return m
}

// accumulator adds a term of 16 bits to its register of n bits, or with load replaces it by the term.
func accumulator(n int) *Module {
	const term = 2 * operand
	m := &Module{Name: fmt.Sprintf("accu%d", n), Ports: []Port{
		{Name: "clk"},
		{Name: "rst_n"},
		{Name: "load"},
		{Name: "d", Width: term},
		{Name: "q", Out: true, Width: n},
	}}
	keep, keep1 := m.wire("keep"), m.wire("keep_1")
	m.gate("INV_1", "u_keep", scalar("load"), keep)
	m.gate("BUF_2", "u_keep_1", keep, keep1)
	carry := m.wire("tie_lo")
	m.gate("TIELO_1", "u_tie_lo", carry)
	for i := range n {
		q, old, next, c := Net{"q", i}, m.wire(fmt.Sprintf("old_%d", i)), m.wire(fmt.Sprintf("next_%d", i)), m.wire(fmt.Sprintf("c_%d", i))
		k := keep
		if i >= n/2 {
			k = keep1
		}
		m.gate("AND2_1", fmt.Sprintf("u_old_%d", i), q, k, old)
		switch {
		case i < term && i%5 == 3: // a full adder of small gates
			d, x := Net{"d", i}, m.wire(fmt.Sprintf("x_%d", i))
			g, t := m.wire(fmt.Sprintf("g_%d", i)), m.wire(fmt.Sprintf("t_%d", i))
			m.gate("XOR2_1", fmt.Sprintf("u_x_%d", i), d, old, x)
			m.gate("XOR2_1", fmt.Sprintf("u_s_%d", i), x, carry, next)
			m.gate("NAND2_1", fmt.Sprintf("u_g_%d", i), d, old, g)
			m.gate("NAND2_1", fmt.Sprintf("u_t_%d", i), x, carry, t)
			m.gate("NAND2_1", fmt.Sprintf("u_c_%d", i), g, t, c)
		case i < term && i%5 == 4: // and one with complex gates: !CO = !((d & old) | (carry & (d | old)))
			d, o := Net{"d", i}, m.wire(fmt.Sprintf("o_%d", i))
			u, cn := m.wire(fmt.Sprintf("u_%d", i)), m.wire(fmt.Sprintf("cn_%d", i))
			x := m.wire(fmt.Sprintf("x_%d", i))
			m.gate("OR2_1", fmt.Sprintf("u_o_%d", i), d, old, o)
			m.gate("AND2_1", fmt.Sprintf("u_u_%d", i), d, old, u)
			m.gate("AOI21_1", fmt.Sprintf("u_cn_%d", i), o, carry, u, cn)
			m.gate("INV_1", fmt.Sprintf("u_c_%d", i), cn, c)
			m.gate("XNOR2_1", fmt.Sprintf("u_x_%d", i), d, old, x)
			m.gate("XNOR2_1", fmt.Sprintf("u_s_%d", i), x, carry, next)
		case i < term:
			m.gate("FA_1", fmt.Sprintf("u_fa_%d", i), Net{"d", i}, old, carry, c, next)
		default:
			m.gate("HA_1", fmt.Sprintf("u_ha_%d", i), old, carry, c, next)
		}
		m.gate("DFFR_1", fmt.Sprintf("q_reg[%d]", i), scalar("clk"), next, scalar("rst_n"), q)
		carry = c
	}
	return m
}
