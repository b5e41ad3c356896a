package liberty

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/logic"
)

func (p *parser) badValue(st *stmt) {
	p.bag.Add(diag.LibertyBadValue, st.pos, "%s is %q", st.name, bytes.Join(p.allArgs(), []byte(", ")))
}

func (p *parser) allArgs() [][]byte {
	var a [][]byte
	for i := range p.args {
		a = append(a, p.arg(i))
	}
	return a
}

// number sets to from a number or an expression over voltages.
func (p *parser) number(st *stmt, to *float64) bool {
	f, ok := parseFloat(p.arg(0))
	if !ok {
		if f, ok = p.evaluate(p.arg(0)); !ok {
			p.bag.Add(diag.LibertyBadNumber, st.pos, "%s is %q", st.name, p.arg(0))
			return false
		}
	}
	*to = f
	return true
}

func (p *parser) boolean(st *stmt) bool {
	switch strings.ToLower(string(p.arg(0))) {
	case "true", "1", "t":
		return true
	case "false", "0", "f":
		return false
	}
	p.badValue(st)
	return false
}

// list cuts value 0 at white space and commas.
func (p *parser) list() []string {
	var l []string
	for _, f := range bytes.FieldsFunc(p.arg(0), func(r rune) bool { return r < 0x80 && argSpace[r] }) {
		l = append(l, p.intern(f))
	}
	return l
}

// function reads a Boolean function; a fault is reported under code, and nil returned.
func (p *parser) function(st *stmt, code diag.Code) *logic.Expr {
	text := p.arg(0)
	if e, ok := p.exprs[string(text)]; ok {
		return e
	}
	e, err := logic.ParseLiberty(string(text))
	if err != nil {
		pos := p.valAt
		var se *logic.SyntaxError
		if errors.As(err, &se) {
			before := text[:min(se.Offset, len(text))]
			if n := bytes.Count(before, []byte("\n")); n > 0 {
				pos.Line += n
				pos.Col = len(before) - bytes.LastIndexByte(before, '\n')
			} else {
				pos.Col += len(before)
			}
			err = errors.New(se.Msg)
		}
		p.bag.Add(code, pos, "%s %q: %v", st.name, text, err)
		return nil
	}
	p.exprs[string(text)] = e
	return e
}

// when reads a condition. An empty one is no condition; ok is false for one that cannot be read.
func (p *parser) when(st *stmt) (e *logic.Expr, text string, ok bool) {
	if len(bytes.TrimSpace(p.arg(0))) == 0 {
		return nil, "", true
	}
	e = p.function(st, diag.LibertyBadWhen)
	return e, p.str(0), e != nil
}

var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// parseFloat reads a decimal number, with white space around it. Table values are the bulk of a library, so the usual
// ones, whose digits and power of ten are exact in a float64, do not go through strconv.
func parseFloat(b []byte) (float64, bool) {
	f, n := floatPrefix(b)
	if n < 0 {
		return 0, false
	}
	for ; n < len(b); n++ {
		if !scan.Space[b[n]] {
			return 0, false
		}
	}
	return f, true
}

// floatPrefix reads the number at the start of b, behind white space, and returns how far it got, -1 for no number.
func floatPrefix(b []byte) (float64, int) {
	i := 0
	for i < len(b) && scan.Space[b[i]] {
		i++
	}
	start := i
	neg := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		neg = b[i] == '-'
		i++
	}
	var m uint64
	digits, sig, exp := 0, 0, 0
	point := false
	for ; i < len(b); i++ {
		c := b[i] - '0'
		if c > 9 {
			if b[i] == '.' && !point {
				point = true
				continue
			}
			break
		}
		digits++
		if sig > 0 || c > 0 {
			sig++
		}
		if sig <= 19 {
			m = m*10 + uint64(c)
		}
		if point {
			exp--
		}
	}
	if digits == 0 {
		return 0, -1
	}
	if i+1 < len(b) && b[i]|0x20 == 'e' {
		j := i + 1
		eneg := b[j] == '-'
		if b[j] == '-' || b[j] == '+' {
			j++
		}
		e, n := 0, 0
		for ; j < len(b) && b[j]-'0' <= 9; j++ {
			e = min(e*10+int(b[j]-'0'), 9999)
			n++
		}
		if n > 0 {
			i = j
			if eneg {
				e = -e
			}
			exp += e
		}
	}
	if sig <= 19 && m < 1<<53 && exp >= -22 && exp <= 22 {
		f := float64(m)
		if exp < 0 {
			f /= pow10[-exp]
		} else {
			f *= pow10[exp]
		}
		if neg {
			f = -f
		}
		return f, i
	}
	f, err := strconv.ParseFloat(string(b[start:i]), 64)
	if err != nil {
		return 0, -1
	}
	return f, i
}

// numbers appends the numbers of all values of the statement to dst.
func (p *parser) numbers(dst []float64) ([]float64, bool) {
	for i := range p.args {
		b := p.arg(i)
		for {
			for len(b) > 0 && argSpace[b[0]] {
				b = b[1:]
			}
			if len(b) == 0 {
				break
			}
			f, n := floatPrefix(b)
			if n < 0 || n < len(b) && !argSpace[b[n]] {
				return dst, false
			}
			dst = append(dst, f)
			b = b[n:]
		}
	}
	return dst, true
}

// tableValues reads numbers into memory cut from a slab.
func (p *parser) tableValues() ([]float64, bool) {
	if cap(p.floats)-len(p.floats) < 256 {
		p.floats = make([]float64, 0, 16<<10)
	}
	from := len(p.floats)
	v, ok := p.numbers(p.floats)
	p.floats = v // it has moved to an array of its own if the slab was too short
	return v[from:len(v):len(v)], ok
}

// indices is tableValues for the axes of tables, most of which are equal and held once.
func (p *parser) indices() ([]float64, bool) {
	var key []byte
	if len(p.args) == 1 {
		key = p.arg(0)
		if x, ok := p.index[string(key)]; ok {
			return x, true
		}
	}
	x, ok := p.tableValues()
	if ok && key != nil {
		p.index[string(key)] = x
	}
	return x, ok
}

// parseUnit reads "10ps": a decimal and a unit with a prefix. Letter case does not matter, but that M before ohm is mega.
func parseUnit(b []byte, unit string) (scan.Decimal, bool) {
	s := strings.TrimSpace(string(b))
	n := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789.+-", r) })
	if n < 0 {
		return scan.Decimal{}, false
	}
	d := scan.Decimal{Coef: 1}
	if n > 0 {
		var ok bool
		if d, ok = scan.ParseDecimal([]byte(s[:n])); !ok || d.Coef <= 0 {
			return d, false
		}
	}
	s = strings.TrimSpace(s[n:])
	if len(s) < len(unit) || !strings.EqualFold(s[len(s)-len(unit):], unit) {
		return d, false
	}
	prefix := s[:len(s)-len(unit)]
	if prefix == "M" && unit == "ohm" {
		d.Exp += 6
		return d, true
	}
	switch strings.ToLower(prefix) {
	case "":
	case "k":
		d.Exp += 3
	case "m":
		d.Exp -= 3
	case "u":
		d.Exp -= 6
	case "n":
		d.Exp -= 9
	case "p":
		d.Exp -= 12
	case "f":
		d.Exp -= 15
	case "a":
		d.Exp -= 18
	default:
		return d, false
	}
	return d, true
}

func (p *parser) unit(st *stmt, unit string, to *float64) {
	d, ok := parseUnit(p.arg(0), unit)
	if !ok {
		p.badValue(st)
		return
	}
	*to = toFloat(d)
}

func toFloat(d scan.Decimal) float64 {
	f, _ := strconv.ParseFloat(strconv.FormatInt(d.Coef, 10)+"e"+strconv.Itoa(int(d.Exp)), 64)
	return f
}

// parseDecimalUnit reads capacitive_load_unit (1, pf).
func parseDecimalUnit(number, unit []byte) (float64, bool) {
	n, ok := scan.ParseDecimal(bytes.TrimSpace(number))
	if !ok || n.Coef <= 0 {
		return 0, false
	}
	u, ok := parseUnit(unit, "f")
	n.Exp += u.Exp
	return toFloat(n), ok && u.Coef == 1
}

// evaluate computes an expression of numbers and voltages with + - * / and parentheses. VDD and VCC are the nominal
// voltage and VSS is 0 unless voltage_map has them.
func (p *parser) evaluate(b []byte) (float64, bool) {
	e := arithmetic{s: string(b), p: p}
	f := e.sum(0)
	e.space()
	return f, !e.bad && e.i == len(e.s) && f-f == 0
}

// maxArithmetic bounds the parentheses of an expression.
const maxArithmetic = 32

type arithmetic struct {
	s   string
	i   int
	bad bool
	p   *parser
}

func (e *arithmetic) space() {
	for e.i < len(e.s) && scan.Space[e.s[e.i]] {
		e.i++
	}
}

func (e *arithmetic) take(ops string) byte {
	e.space()
	if e.bad || e.i == len(e.s) || strings.IndexByte(ops, e.s[e.i]) < 0 {
		return 0
	}
	e.i++
	return e.s[e.i-1]
}

func (e *arithmetic) sum(depth int) float64 {
	f := e.product(depth)
	for {
		switch e.take("+-") {
		case '+':
			f += e.product(depth)
		case '-':
			f -= e.product(depth)
		default:
			return f
		}
	}
}

func (e *arithmetic) product(depth int) float64 {
	f := e.atom(depth)
	for {
		switch e.take("*/") {
		case '*':
			f *= e.atom(depth)
		case '/':
			f /= e.atom(depth)
		default:
			return f
		}
	}
}

func (e *arithmetic) atom(depth int) float64 {
	neg := false
	for c := e.take("+-"); c != 0; c = e.take("+-") {
		neg = neg != (c == '-')
	}
	var f float64
	if e.take("(") != 0 && depth < maxArithmetic {
		f = e.sum(depth + 1)
		e.bad = e.bad || e.take(")") == 0
	} else if v, n := floatPrefix([]byte(e.s[e.i:])); n >= 0 {
		f = v
		e.i += n
	} else {
		from := e.i
		for e.i < len(e.s) && nameBytes[e.s[e.i]] && e.s[e.i] != '-' {
			e.i++
		}
		f = e.name(e.s[from:e.i])
	}
	if neg {
		return -f
	}
	return f
}

func (e *arithmetic) name(s string) float64 {
	if v, ok := e.p.lib.Voltages[s]; ok {
		return v
	}
	switch s {
	case "VDD", "VCC":
		e.bad = e.bad || e.p.lib.NomVoltage == 0
		return e.p.lib.NomVoltage
	case "VSS", "GND":
		return 0
	}
	e.bad = true
	return 0
}
