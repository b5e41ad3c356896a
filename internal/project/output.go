package project

import (
	"bufio"
	"cmp"
	"context"
	encoding "encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/saif"
	"github.com/wattd/wattd/internal/netlist"
)

func hex(b []byte) string { return encoding.EncodeToString(b) }

// OutputError tells that an output could not be written: a full disk, a missing permission. It is no fault of the program.
type OutputError struct {
	Path string
	Err  error
}

// Error implements error.
func (e *OutputError) Error() string { return fmt.Sprintf("cannot write %s: %v", e.Path, plain(e.Err)) }

// Unwrap implements errors.
func (e *OutputError) Unwrap() error { return e.Err }

// stdout is the output that is the standard output.
const stdout = "-"

// output is a file to write.
type output struct {
	flag, path string
	f          func(context.Context, io.Writer) error
}

// outputs lists those that were asked for.
func (s *Session) outputs() []output {
	all := []output{{"counts", s.Config.Counts, s.writeCounts}, {"saif", s.Config.SAIF, s.writeSAIF}, {"vcd", s.Config.VCD, s.writeVCD}}
	return slices.DeleteFunc(all, func(o output) bool { return o.path == "" })
}

// checkOutputs refuses outputs that would replace an input or one another, and those that cannot be written.
func (s *Session) checkOutputs() {
	taken := map[string]string{} // by path
	var ins []os.FileInfo
	for _, p := range s.inputPaths() {
		if st, err := os.Stat(p); err == nil {
			ins = append(ins, st)
			taken[filepath.Clean(p)] = "an input"
		}
	}
	for _, o := range s.outputs() {
		pos := diag.Pos{File: o.path}
		if by, ok := taken[filepath.Clean(o.path)]; ok {
			s.Bag.Add(diag.ProjOutputTaken, pos, "--%s would replace %s", o.flag, by)
			continue
		}
		taken[filepath.Clean(o.path)] = "the output of --" + o.flag
		if o.path == stdout {
			continue
		}
		st, err := os.Stat(o.path)
		switch {
		case err == nil && slices.ContainsFunc(ins, func(in os.FileInfo) bool { return os.SameFile(in, st) }):
			s.Bag.Add(diag.ProjOutputTaken, pos, "--%s would replace an input", o.flag)
		case err == nil && st.IsDir():
			s.Bag.Add(diag.ProjOutput, pos, "--%s: this is a directory", o.flag)
		case err == nil && !st.Mode().IsRegular(): // a device or a pipe: opened when there is something to write
		default:
			t, err := createTemp(o.path)
			if err != nil {
				s.Bag.Add(diag.ProjOutput, pos, "--%s: %v", o.flag, plain(err))
				continue
			}
			t.Close()
			os.Remove(t.Name())
		}
	}
}

// inputPaths lists the files that the run reads, as far as they are known before reading.
func (s *Session) inputPaths() []string {
	c := &s.Config
	ps := slices.Concat(c.Netlist, c.FileList, c.Lib)
	for _, a := range c.SDF {
		p, _ := splitMount(a)
		ps = append(ps, p)
	}
	for _, pos := range c.places {
		ps = append(ps, pos.File)
	}
	if c.Stim != "" {
		ps = append(ps, c.Stim)
	}
	return ps
}

// write writes every output that was asked for and returns their size.
func (s *Session) write(ctx context.Context) (int64, error) {
	total := int64(0)
	for _, o := range s.outputs() {
		n, err := writeFile(o.path, func(w io.Writer) error { return o.f(ctx, w) })
		if err != nil {
			if ctx.Err() != nil {
				return total, ctx.Err()
			}
			return total, &OutputError{o.path, err}
		}
		total += n
		s.Wrote = append(s.Wrote, o.path)
	}
	return total, nil
}

// createTemp makes a file beside an output, to be renamed to it.
func createTemp(path string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
}

// writeFile writes a file whole or not at all: to a temporary name beside it, then renamed. A link is followed. "-" is the
// standard output; it, devices and pipes are written straight.
func writeFile(path string, f func(io.Writer) error) (int64, error) {
	if path == stdout {
		return writeTo(os.Stdout, f)
	}
	if p, err := filepath.EvalSymlinks(path); err == nil {
		path = p
	}
	mode := os.FileMode(0o644)
	if st, err := os.Stat(path); err == nil {
		if !st.Mode().IsRegular() {
			t, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return 0, err
			}
			n, err := writeTo(t, f)
			return n, errors.Join(err, t.Close())
		}
		mode = st.Mode().Perm()
	}
	t, err := createTemp(path)
	if err != nil {
		return 0, err
	}
	defer os.Remove(t.Name()) // fails after the rename, as it should
	n, err := writeTo(t, f)
	if err == nil {
		err = t.Chmod(mode)
	}
	if err == nil {
		err = t.Sync()
	}
	if e := t.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(t.Name(), path)
	}
	return n, err
}

func writeTo(w io.Writer, f func(io.Writer) error) (int64, error) {
	c := &counting{w: w}
	b := bufio.NewWriterSize(c, 256<<10)
	if err := f(b); err != nil {
		return c.n, err
	}
	return c.n, b.Flush()
}

type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// named lists the nets that have a name of their own, in the bytewise order of their printed names.
func (s *Session) named() ([]int32, []string) {
	t := s.Netlist.PrintNames()
	type row struct {
		net  int32
		name string
	}
	rows := make([]row, 0, len(s.Netlist.Nets))
	for n := int32(2); int(n) < len(s.Netlist.Nets); n++ {
		if s.Netlist.Nets[n].Flags&netlist.NetHidden == 0 && (s.only == nil || s.only[n]) {
			rows = append(rows, row{n, t.String(n)})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.name, b.name) })
	nets, names := make([]int32, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		nets[i], names[i] = r.net, r.name
	}
	return nets, names
}

// countsHeader is the first line of --counts.
const countsHeader = "net,t0,t1,tx,tz,tb,tc,rise,fall,filtered,functional,glitch\n"

// writeCounts writes one row a net (RFC 4180), times in ticks.
func (s *Session) writeCounts(ctx context.Context, w io.Writer) error {
	if _, err := io.WriteString(w, countsHeader); err != nil {
		return err
	}
	nets, names := s.named()
	var b []byte
	for i, n := range nets {
		if i&4095 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		x := &s.Table.Nets[n]
		b = appendCSV(b[:0], names[i])
		for _, v := range [...]int64{x.T0, x.T1, x.TX, x.TZ, x.TB, x.TC, x.Rise, x.Fall} {
			b = append(b, ',')
			b = strconv.AppendInt(b, v, 10)
		}
		if b = append(b, ','); !s.cut {
			b = strconv.AppendInt(b, x.Filtered, 10)
		}
		b = append(b, ',')
		if s.Table.Split {
			b = strconv.AppendInt(b, x.Functional, 10)
		}
		b = append(b, ',')
		if s.Table.Split {
			b = strconv.AppendInt(b, x.Glitch, 10)
		}
		b = append(b, '\n')
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

func appendCSV(b []byte, s string) []byte {
	if !strings.ContainsAny(s, "\",\r\n") {
		return append(b, s...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}

// byScope groups the names of all nets by scope.
type byScope struct {
	start []int32
	refs  []netlist.Ref
	nets  []int32
}

func (s *Session) scopes() *byScope {
	nl := s.Netlist
	g := &byScope{start: make([]int32, len(nl.Scopes)+1)}
	each := func(f func(n int32, r netlist.Ref)) {
		for n := int32(2); int(n) < len(nl.Nets); n++ {
			if nl.Nets[n].Flags&(netlist.NetHidden|netlist.NetSupply) == 0 && (s.only == nil || s.only[n]) {
				for r := range nl.Aliases(n) {
					f(n, r)
				}
			}
		}
	}
	each(func(_ int32, r netlist.Ref) { g.start[r.Scope+1]++ })
	for i := range nl.Scopes {
		g.start[i+1] += g.start[i]
	}
	g.refs, g.nets = make([]netlist.Ref, g.start[len(nl.Scopes)]), make([]int32, g.start[len(nl.Scopes)])
	at := slices.Clone(g.start)
	each(func(n int32, r netlist.Ref) { g.refs[at[r.Scope]], g.nets[at[r.Scope]] = r, n; at[r.Scope]++ })
	for i := range nl.Scopes {
		sort2(g.refs[g.start[i]:g.start[i+1]], g.nets[g.start[i]:g.start[i+1]], func(a, b netlist.Ref) int {
			if a.Name != b.Name {
				return strings.Compare(string(nl.Names.Bytes(a.Name)), string(nl.Names.Bytes(b.Name)))
			}
			return int(a.Bit) - int(b.Bit)
		})
	}
	return g
}

// sort2 sorts two slices by the first.
func sort2(refs []netlist.Ref, nets []int32, cmp func(a, b netlist.Ref) int) {
	idx := make([]int32, len(refs))
	for i := range idx {
		idx[i] = int32(i)
	}
	slices.SortFunc(idx, func(a, b int32) int { return cmp(refs[a], refs[b]) })
	r, n := slices.Clone(refs), slices.Clone(nets)
	for i, k := range idx {
		refs[i], nets[i] = r[k], n[k]
	}
}

// writeSAIF writes backward SAIF: nets by scope, and the pins of leaf instances, which is what some readers annotate.
func (s *Session) writeSAIF(ctx context.Context, out io.Writer) error {
	nl := s.Netlist
	coef, unit := unitOf(s.opt.tick)
	w := saif.NewWriter(out, saif.Header{
		Design: nl.Names.String(nl.Scopes[0].Module), Duration: s.Table.Duration(), Timescale: strconv.FormatInt(coef, 10) + " " + unit,
		Divider: '/', Dialect: s.opt.dialect, Program: "wattd",
	})
	g := s.scopes()
	kids := make([][]int32, len(nl.Scopes))
	for i := 1; i < len(nl.Scopes); i++ {
		kids[nl.Scopes[i].Parent] = append(kids[nl.Scopes[i].Parent], int32(i))
	}
	insts := make([][]int32, len(nl.Scopes))
	for i := range nl.Insts {
		if nl.IsHoleInst(int32(i)) {
			continue
		}
		insts[nl.Insts[i].Scope] = append(insts[nl.Insts[i].Scope], int32(i))
	}
	for _, list := range insts { // in the order of the text, whatever edits did to the numbers
		slices.SortStableFunc(list, func(a, b int32) int {
			x, y := nl.Insts[a].Pos, nl.Insts[b].Pos
			return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Col, y.Col))
		})
	}
	var scope func(k int32) error
	scope = func(k int32) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		sc := &nl.Scopes[k]
		w.BeginInstance(nl.Names.String(sc.Module), nl.Names.String(sc.Name))
		w.BeginNets()
		for i := g.start[k]; i < g.start[k+1]; i++ {
			w.Entry(nl.Names.String(g.refs[i].Name), bitOf(g.refs[i].Bit), s.saifCounts(g.nets[i]))
		}
		for _, i := range insts[k] {
			in := &nl.Insts[i]
			cell := &nl.Cells[in.Cell]
			w.BeginInstance(nl.Names.String(cell.Name), nl.Names.String(in.Name))
			w.BeginPorts()
			for p := range int32(cell.NPin()) {
				if n := nl.PinNet[in.Pin0+p]; n >= 0 {
					name, bit := splitBit(nl.PinName(in.Cell, p))
					w.Entry(name, bit, s.saifCounts(n))
				}
			}
			w.EndInstance()
		}
		for _, c := range kids[k] {
			if err := scope(c); err != nil {
				return err
			}
		}
		w.EndInstance()
		return nil
	}
	if err := scope(0); err != nil {
		return err
	}
	return w.Close()
}

func bitOf(b int32) int32 {
	if b == netlist.NoBit {
		return saif.NoBit
	}
	return b
}

func splitBit(name string) (string, int32) {
	if i := strings.LastIndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		if n, err := strconv.ParseInt(name[i+1:len(name)-1], 10, 32); err == nil {
			return name[:i], int32(n)
		}
	}
	return name, saif.NoBit
}

func (s *Session) saifCounts(n int32) saif.Counts {
	x := s.Table.Nets[n]
	switch n {
	case netlist.Const0:
		x = activity.Net{T0: s.Table.Duration()}
	case netlist.Const1:
		x = activity.Net{T1: s.Table.Duration()}
	}
	ig := x.Filtered
	if !s.opt.pulses {
		ig *= 2
	}
	return saif.Counts{T0: x.T0, T1: x.T1, TX: x.TX, TZ: x.TZ, TB: x.TB, TC: x.TC, IG: ig, HasIG: !s.cut}
}

// WriteWhole writes a file whole or not at all.
func WriteWhole(path string, text []byte) error {
	_, err := writeFile(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return err
}
