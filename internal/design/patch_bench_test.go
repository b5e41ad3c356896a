package design_test

import (
	"bytes"
	"context"
	"hash/fnv"
	"io"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/synth"
)

// fixedChunks cuts a text at every 64 KiB of the old one: edits of the benchmark keep the length.
func fixedChunks(b []byte) []design.Chunk {
	var out []design.Chunk
	for len(b) > 0 {
		n := min(len(b), 64<<10)
		h := fnv.New128a()
		h.Write(b[:n])
		out = append(out, design.Chunk{Len: int32(n), Hash: [16]byte(h.Sum(nil))})
		b = b[n:]
	}
	return out
}

// BenchmarkPatch measures edits of one wire, one cell and one connection. WATTD_BENCH_GATES is the size.
func BenchmarkPatch(b *testing.B) {
	gates, _ := strconv.Atoi(os.Getenv("WATTD_BENCH_GATES"))
	if gates == 0 {
		gates = 20_000
	}
	nl, sdf := synthetic(b, synth.Params{Gates: gates})
	ctx := context.Background()
	was := fixedChunks(sdf)
	start := time.Now()
	compileWith := func() *design.Design {
		d, err := design.Compile(ctx, nl, design.Options{Keep: true}, []design.SDF{{
			Name: "synth.sdf", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(sdf)), nil },
			Chunks: func() ([]design.Chunk, error) { return was, nil },
		}}, &diag.Bag{})
		if err != nil {
			b.Fatal(err)
		}
		return d
	}
	d := compileWith()
	b.Logf("%d gates, %d MB of SDF, compiled in %v", len(d.Gates), len(sdf)>>20, time.Since(start))
	edited := bytes.Clone(sdf)
	at := len(edited) / 3
	at += bytes.Index(edited[at:], []byte("(INTERCONNECT"))
	at += bytes.Index(edited[at:], []byte("(0."))
	copy(edited[at:], "(0.027)")
	now := fixedChunks(edited)
	text := func(t []byte, c []design.Chunk) []design.SDFText {
		return []design.SDFText{{Chunks: c, Read: func(_ context.Context, off int64, n int) ([]byte, error) { return t[off : off+int64(n)], nil }}}
	}
	inst := nl.FindInst(0, []byte("_"+strconv.Itoa(gates/2)+"_"))
	put := func(from int32, cell string) (*netlist.Netlist, *netlist.Patched) {
		in := &nl.Insts[inst]
		e := &netlist.Edit{Names: nl.Names.Extend(), Libs: nil, Free: d.Program.NNet}
		q := netlist.Put{Slot: inst, Scope: in.Scope, Name: in.Name, Cell: nl.Cells[in.Cell].Name, Pos: in.Pos}
		c := &nl.Cells[in.Cell]
		for k, p := range c.Lib.Pins {
			n := nl.PinNet[in.Pin0+int32(k)]
			if k == 0 && from >= 0 {
				n = from
			}
			q.Pins = append(q.Pins, netlist.PutPin{Pin: e.Names.InternString(p.Name), Net: n})
		}
		e.Put = append(e.Put, q)
		n, t, err := nl.Patch(ctx, e)
		if err != nil {
			b.Fatal(err)
		}
		return n, t
	}
	run := func(name string, p design.Patch) {
		b.Run(name, func(b *testing.B) {
			var ch *design.Changed
			var err error
			var next *design.Design
			b.ReportAllocs()
			for b.Loop() {
				if next, ch, err = d.Patch(ctx, p, &diag.Bag{}); err != nil {
					b.Fatal(err)
				}
			}
			runtime.KeepAlive(next)
			b.ReportMetric(float64(ch.BytesParsed), "parsed-B")
			b.ReportMetric(float64(ch.GatesCompiled), "gates")
			b.ReportMetric(float64(len(ch.Gates)), "changed")
		})
	}
	run("nothing", design.Patch{SDF: text(sdf, was)})
	run("wire", design.Patch{SDF: text(edited, now)})
	other := nl.FindNet(0, []byte("n3"), netlist.NoBit)
	rewired, touched := put(other, "")
	run("rewire", design.Patch{Netlist: rewired, Touched: touched, SDF: text(sdf, was)})
	run("override", design.Patch{SDF: text(sdf, was), Overrides: []design.Override{{Inst: inst, Scale: true, Num: 3, Den: 2}}})
}
