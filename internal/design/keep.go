package design

import (
	"fmt"
	"maps"
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/sdf"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/kernel"
)

// kept is what Patch needs of a version beside its arrays. It is plain data, never written once its version is complete, and shares
// with earlier versions what did not change.
type kept struct {
	corner         Corner
	fallback       bool
	keepConditions bool
	pulseReject    int
	overrides      []Override

	// What the SDF files say of what. A target is an instance (its arcs) or a pin (the wire to it); by target stands the part
	// that mentions it, None, or severalParts with the list in a map.
	files     []keptFile
	parts     []part
	instPart  []int32
	sinkPart  []int32
	instParts map[int32][]int32
	sinkParts map[int32][]int32
	strangers map[int32][]int32 // by instance: pins whose wires name it as a source that it is not
	netParts  map[int32][]int32 // nets whose sinks are named together

	netInst    []int32            // driver of a net: instance, ^primitive, noDriver or severalDrivers
	multi      map[int32][]driver // of several
	loads      []int32            // pins and ports that read a net
	cellUse    []int32            // instances by cell
	undirected map[int32]bool     // nets of pins whose direction is not known
	level      []int32            // by gate

	pinSink   []int32 // by pin of the program: pin of the netlist whose wire it has, None, or -2-k for input k of the primitives
	pinNote   []wireNote
	gateTally []int32 // by gate: index in tallies
	tallies   []tally
	tallyID   map[tally]int32
	arcSums   sums
	wireSums  sums
	noArc     map[string]int64
	zeroArc   map[string]int64

	fixed     map[int32]uint64    // by output pin of a parallel or three-state driver: digest of its statements, 0 for none
	late      map[int32]lateCount // by sink: messages that wait for the last statement
	notes     []note              // of what the structure of the design made, some of each code
	noteCount map[diag.Code]int64
	cellNotes map[int32][]diag.Diag // of models, by cell

	readers *kernel.Readers // nil until they are needed

	fnSeen    map[string]int32
	fnInfo    []fnInfo
	variants  map[variantKey]int32
	shapeSeen map[string]*shapeInfo
	conds     []condition
	condText  map[string]int32
	condTable map[string]int32
}

const (
	severalParts   = int32(-2)
	noDriver       = int32(-1 << 31)
	severalDrivers = int32(-1<<31 + 1)
)

// keptFile is an SDF file as it was read: parts in order, and the chunks by which a newer text is compared.
type keptFile struct {
	name   string
	mount  string
	head   sdf.Header
	chunks []Chunk
	size   int64
	order  []int32 // of parts
	dead   bool    // the mount is not there
}

// part is a piece of an SDF file that can be read on its own, with what it added to the report.
type part struct {
	from                                sdf.Mark
	stats                               sdf.Stats
	bound, unbound, statements, dropped int64
	odd                                 bool // a statement depends on instances or nets that it was not filed under
	wild                                bool // an entry names many instances at once
	prim                                bool // a statement acts on a primitive
	said                                []diag.Total
	diags                               []diag.Diag
	line                                int // of from when diags were made
}

// lateCount counts messages about one sink.
type lateCount struct{ notDriver, perDriver, gap int64 }

// note is a message about a net, or the instance that drives it.
type note struct {
	code diag.Code
	net  int32
	inst int32 // None: the net
	msg  string
}

// keeper fills kept while a design is compiled.
type keeper struct {
	*kept
	lastTally    []int32 // by shape+1: the tally of a gate of that shape, which the next is likely to have too
	cur          int32   // part being read
	ownStrangers bool    // of a patch: the map was copied
	muted        bool    // its entry is noted as a whole

	collect *mentions // of a patch: where mentions go instead
}

func newKeeper(nl *netlist.Netlist, opt *Options) *keeper {
	k := &keeper{kept: &kept{
		corner: opt.Corner, fallback: opt.CornerFallback, keepConditions: opt.KeepConditions, pulseReject: opt.PulseReject, overrides: opt.Overrides,
		instPart: make([]int32, len(nl.Insts)), sinkPart: make([]int32, len(nl.PinNet)),
		instParts: map[int32][]int32{}, sinkParts: map[int32][]int32{}, netParts: map[int32][]int32{}, strangers: map[int32][]int32{},
		multi: map[int32][]driver{}, undirected: map[int32]bool{}, cellUse: make([]int32, len(nl.Cells)),
		tallyID: map[tally]int32{}, late: map[int32]lateCount{}, noteCount: map[diag.Code]int64{}, cellNotes: map[int32][]diag.Diag{},
	}}
	for _, a := range [][]int32{k.instPart, k.sinkPart} {
		for i := range a {
			a[i] = None
		}
	}
	return k
}

// tallyOf keeps the tally of a gate.
func (k *keeper) tallyOf(g int32, t *tally, shape int32) {
	for int(shape)+1 >= len(k.lastTally) {
		k.lastTally = append(k.lastTally, None)
	}
	id := k.lastTally[shape+1]
	if id == None || k.tallies[id] != *t {
		var ok bool
		if id, ok = k.tallyID[*t]; !ok {
			id = int32(len(k.tallies))
			k.tallies = append(k.tallies, *t)
			k.tallyID[*t] = id
		}
		k.lastTally[shape+1] = id
	}
	k.kept.gateTally[g] = id
}

// inst notes that the part being read mentions an instance.
func (k *keeper) inst(i int32) {
	switch {
	case k == nil || k.muted:
	case k.collect != nil:
		k.collect.inst[i] = addPart(k.collect.inst[i], k.cur)
	case k.instPart[i] != k.cur:
		k.instPart[i] = mention(k.instPart[i], i, k.instParts, k.cur)
	}
}

// sink notes that it mentions a wire.
func (k *keeper) sink(s int32) {
	switch {
	case k == nil || k.muted:
	case int(s) >= len(k.sinkPart):
		k.parts[k.cur].prim = true
	case k.collect != nil:
		k.collect.sink[s] = addPart(k.collect.sink[s], k.cur)
	case k.sinkPart[s] != k.cur:
		k.sinkPart[s] = mention(k.sinkPart[s], s, k.sinkParts, k.cur)
	}
}

func mention(was, i int32, lists map[int32][]int32, cur int32) int32 {
	switch was {
	case None:
		return cur
	case severalParts:
		lists[i] = addPart(lists[i], cur)
	default:
		lists[i] = []int32{was, cur}
	}
	return severalParts
}

func addPart(list []int32, p int32) []int32 {
	if slices.Contains(list, p) {
		return list
	}
	return append(list, p)
}

// net notes that it names a net, or the sinks behind a port of it.
func (k *keeper) net(n int32) {
	switch {
	case k == nil || n < 0:
	case k.collect != nil:
		k.collect.net[n] = addPart(k.collect.net[n], k.cur)
	default:
		k.netParts[n] = addPart(k.netParts[n], k.cur)
	}
}

func (k *keeper) odd() {
	if k != nil {
		k.parts[k.cur].odd = true
	}
}

// foreign notes a wire whose source does not drive its load: what becomes of it depends on the source too.
func (k *keeper) foreign(nl *netlist.Netlist, from, to *end) {
	switch {
	case k == nil:
		return
	case k.muted || from.inst < 0 || to.inst < 0:
		k.odd()
		return
	}
	k.inst(from.inst)
	s := nl.Insts[to.inst].Pin0 + to.pin
	k.sink(s)
	if !slices.Contains(k.strangers[from.inst], s) {
		if k.collect != nil && !k.ownStrangers {
			k.strangers, k.ownStrangers = maps.Clone(k.strangers), true
		}
		k.strangers[from.inst] = append(slices.Clip(k.strangers[from.inst]), s)
	}
}

func (k *keeper) prim() {
	if k != nil {
		k.parts[k.cur].prim = true
	}
}

// wild notes an entry that names many instances at once.
func (k *keeper) wild(is bool) {
	if k != nil {
		k.muted = is
		if is {
			k.parts[k.cur].wild = true
		}
	}
}

// say adds a message about a net, or the instance that drives it, of the structure of the design.
func (b *builder) say(code diag.Code, net, inst int32, format string, args ...any) {
	var pos verilog.Pos
	if inst >= 0 {
		pos = b.nl.Insts[inst].Pos
	} else {
		pos = b.nl.Nets[net].Pos
	}
	b.bag.Add(code, b.pos(pos), format, args...)
	if b.keep != nil {
		b.keep.note(code, net, inst, format, args...)
	}
}

// keptNotes is how many messages of a code are kept with their text.
const keptNotes = diag.Keep

func (k *keeper) note(code diag.Code, net, inst int32, format string, args ...any) {
	k.noteCount[code]++
	if k.noteCount[code] <= keptNotes {
		k.notes = append(k.notes, note{code, net, inst, fmt.Sprintf(format, args...)})
	}
}

// cellSaid keeps what modelling a cell said.
func (k *keeper) cellSaid(cell int32, bag *diag.Bag) {
	for _, t := range bag.Totals() {
		k.cellNotes[cell] = append(k.cellNotes[cell], bag.Kept(t.Code)...)
	}
}

func (k *keeper) saidLate(sink int32, bag *diag.Bag) {
	l := lateCount{bag.Count(diag.SDFNotDriver), bag.Count(diag.SDFWirePerDriver), bag.Count(diag.SDFSegmentGap)}
	if l != (lateCount{}) {
		o := k.late[sink]
		k.late[sink] = lateCount{o.notDriver + l.notDriver, o.perDriver + l.perDriver, o.gap + l.gap}
	}
}

// begin starts a file.
func (k *keeper) begin(s SDF) {
	k.files = append(k.files, keptFile{name: s.Name, mount: s.Mount})
	k.cur = k.addPart(sdf.Mark{Line: 1, Col: 1})
	f := &k.files[len(k.files)-1]
	f.order = append(f.order, k.cur)
}

func (k *keeper) addPart(from sdf.Mark) int32 {
	k.parts = append(k.parts, part{from: from, line: from.Line})
	return int32(len(k.parts) - 1)
}

// keptReader is an annotator that keeps what each part of its file brought.
type keptReader struct {
	*annotator
	before partCount
	said   map[diag.Code]int64
	shown  map[diag.Code]int
}

// partCount is what had been counted where a part begins.
type partCount struct {
	stats                               sdf.Stats
	bound, unbound, statements, dropped int64
}

// Mark implements the marks of sdf.Read: a part ends and the next begins.
func (r *keptReader) Mark(m sdf.Mark, st *sdf.Stats) {
	r.finish(st)
	k := r.b.keep
	k.cur = k.addPart(m)
	f := &k.files[len(k.files)-1]
	f.order = append(f.order, k.cur)
	if m.Place.At == sdf.AtEntry { // the entry goes on in the next part
		k.inst2(r.annotator)
	}
}

// inst2 notes the entry that the part being read begins in.
func (k *keeper) inst2(a *annotator) {
	if k.muted {
		k.parts[k.cur].wild = true
		return
	}
	if len(a.insts) == 1 {
		k.inst(a.insts[0])
	}
	if a.prim >= 0 {
		k.prim()
	}
	if a.skip {
		k.odd()
	}
}

// finish ends a part.
func (r *keptReader) finish(st *sdf.Stats) {
	k := r.b.keep
	k.files[len(k.files)-1].head = r.head
	p := &k.parts[k.cur]
	now := partCount{*st, r.rep.Bound, r.rep.Unbound, r.rep.Statements, r.rep.Dropped}
	p.stats = now.stats
	p.stats.Add(&r.before.stats, -1)
	p.bound, p.unbound = now.bound-r.before.bound, now.unbound-r.before.unbound
	p.statements, p.dropped = now.statements-r.before.statements, now.dropped-r.before.dropped
	r.before = now
	if r.said == nil {
		r.said, r.shown = map[diag.Code]int64{}, map[diag.Code]int{}
	}
	totals := &diag.Bag{} // told of the whole file, not of a part
	st.Totals(r.file, totals)
	for _, t := range r.b.bag.Totals() {
		if n := t.N - r.said[t.Code]; n > 0 && totals.Count(t.Code) == 0 {
			p.said = append(p.said, diag.Total{Code: t.Code, Severity: t.Severity, N: n})
			r.said[t.Code] = t.N
			kept := r.b.bag.Kept(t.Code)
			p.diags = append(p.diags, kept[r.shown[t.Code]:]...)
			r.shown[t.Code] = len(kept)
		}
	}
}

// chunksOf keeps the chunks of the file read last.
func (k *keeper) chunksOf(s SDF) error {
	c, err := s.Chunks()
	if err != nil {
		return err
	}
	f := &k.files[len(k.files)-1]
	f.chunks = c
	for i := range c {
		f.size += int64(c[i].Len)
	}
	return nil
}

// finish takes over what the builder found.
func (k *keeper) finish(b *builder) *kept {
	nl := b.nl
	k.fnSeen, k.fnInfo = b.fns.seen.whole(), b.fns.info
	k.conds, k.condText, k.condTable = b.arcs.conds, b.arcs.condText.whole(), b.arcs.condTable.whole()
	k.wireSums = b.wires.round
	k.netInst = make([]int32, len(nl.Nets))
	k.loads = make([]int32, len(nl.Nets))
	for n := range k.netInst {
		switch ds := b.netDrivers(int32(n)); len(ds) {
		case 0:
			k.netInst[n] = noDriver
		case 1:
			k.netInst[n] = ds[0].inst
		default:
			k.netInst[n] = severalDrivers
			k.multi[int32(n)] = slices.Clone(ds)
		}
	}
	for i := range nl.Insts {
		b.eachLoad(int32(i), func(n int32) { k.loads[n]++ })
		b.eachUndirected(int32(i), func(pin, n int32) {
			k.undirected[n] = true
			if !slices.Contains(b.netDrivers(n), driver{n, int32(i), pin}) {
				k.loads[n]++
			}
		})
	}
	for _, n := range nl.PrimIn {
		if n >= 0 {
			k.loads[n]++
		}
	}
	for _, p := range nl.Ports {
		if p.Dir != verilog.Input && p.Net >= 0 {
			k.loads[p.Net]++
		}
	}
	pins := int32(len(nl.PinNet))
	k.pinSink = b.sinkOf
	for i, s := range k.pinSink {
		if s >= pins {
			k.pinSink[i] = -2 - (s - pins)
		}
	}
	k.fixed = map[int32]uint64{}
	fix := func(x driver) {
		if x.inst >= 0 {
			if t := b.targetOf(x.inst, x.pin); t != None && b.arcs.head[t] != None {
				k.fixed[nl.Insts[x.inst].Pin0+x.pin] = b.arcs.digest(b.arcs.head[t])
			}
		}
	}
	for _, t := range b.tris {
		if t != nil {
			for _, x := range t.drivers {
				fix(x)
			}
		}
	}
	for _, m := range b.merged {
		fix(m.kept)
		fix(m.gone)
	}
	if len(k.level) < len(b.gates) { // no gate is alive
		k.level = make([]int32, len(b.gates))
	}
	return k.kept
}

// eachUndirected yields the pins of a black box of which no module tells whether they are inputs or outputs.
func (b *builder) eachUndirected(inst int32, f func(pin, net int32)) {
	in := &b.nl.Insts[inst]
	for k, dir := range b.nl.Cells[in.Cell].Dirs {
		if n := b.nl.PinNet[in.Pin0+int32(k)]; n > netlist.Const1 && dir != verilog.Input && dir != verilog.Output {
			f(int32(k), n)
		}
	}
}

// eachLoad yields the nets that an instance reads, but for undirected pins.
func (b *builder) eachLoad(inst int32, f func(net int32)) {
	nl := b.nl
	in := &nl.Insts[inst]
	cm := b.modelOf(in.Cell)
	if !cm.blackBox {
		for _, k := range cm.loads {
			if n := nl.PinNet[in.Pin0+k]; n >= 0 {
				f(n)
			}
		}
		return
	}
	for k, dir := range nl.Cells[in.Cell].Dirs {
		if n := nl.PinNet[in.Pin0+int32(k)]; n > netlist.Const1 && dir == verilog.Input {
			f(n)
		}
	}
}

func (k *keeper) emitted(em *emitter) {
	k.variants, k.shapeSeen = em.variants.whole(), em.shapes.seen.whole()
	k.arcSums, k.noArc, k.zeroArc = em.round, em.noArc, em.zeroArc
}
