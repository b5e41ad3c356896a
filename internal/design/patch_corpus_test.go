package design_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/source"
	"github.com/wattd/wattd/internal/testenv"
)

func readAll(t *testing.T, path string) []byte {
	f, err := source.Open(context.Background(), path, &diag.Bag{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sibling is a cell of the library with the same pins.
func sibling(l *liberty.Library, c *liberty.Cell, r *rand.Rand) string {
	var like []string
	for _, x := range l.Cells {
		if x.Name != c.Name && slices.EqualFunc(x.Pins, c.Pins, func(a, b *liberty.Pin) bool { return a.Name == b.Name && a.Dir == b.Dir }) {
			like = append(like, x.Name)
		}
	}
	if len(like) == 0 {
		return c.Name
	}
	return like[r.IntN(len(like))]
}

// TestPatchCorpus edits real designs.
func TestPatchCorpus(t *testing.T) {
	root := testenv.Corpus(t)
	for _, x := range []struct{ dir, lib string }{{"gcd_sky130hd", "sky130"}, {"mac_sg13g2", "sg13g2"}} {
		if testing.Short() && x.dir != "gcd_sky130hd" {
			continue
		}
		t.Run(x.dir, func(t *testing.T) {
			ctx, bag, names := context.Background(), &diag.Bag{}, scan.NewNames()
			dir := filepath.Join(root, "designs", x.dir)
			mods, err := verilog.Read(ctx, bytes.NewReader(readAll(t, filepath.Join(dir, "netlist.v"))), "netlist.v", 0, names, verilog.Option{}, bag)
			if err != nil {
				t.Fatal(err)
			}
			libs, _ := filepath.Glob(filepath.Join(root, "liberty", "*"+x.lib+"*"))
			if len(libs) == 0 {
				t.Fatal("no library")
			}
			lib, err := liberty.Read(ctx, bytes.NewReader(readAll(t, libs[0])), "lib", bag)
			if err != nil {
				t.Fatal(err)
			}
			nl, err := netlist.Link(ctx, netlist.Input{Modules: mods, Names: names, Files: []string{"netlist.v"}, Libs: []*liberty.Library{lib}}, bag)
			if err != nil || nl == nil {
				t.Fatal(err, bag.Totals())
			}
			text := readAll(t, filepath.Join(dir, "delays.sdf.xz"))
			compile := func(nl *netlist.Netlist) (*design.Design, *diag.Bag) {
				bag := &diag.Bag{}
				now := text
				d, err := design.Compile(ctx, nl, design.Options{Keep: true}, []design.SDF{{
					Name: "x.sdf", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(now)), nil },
					Chunks: func() ([]design.Chunk, error) { return chunks(string(now)), nil },
				}}, bag)
				if err != nil || bag.Errors() > 0 {
					t.Fatal(err, bag.Totals())
				}
				return d, bag
			}
			d, _ := compile(nl)
			r := rand.New(rand.NewPCG(1, 2))
			value := regexp.MustCompile(`\(-?[0-9.]+:[-0-9.]*:[0-9.-]+\)|\([0-9.]+\)`)
			refused := map[string]int{}
			patched := 0
			for step := range 12 {
				p := design.Patch{}
				what := ""
				if step%2 == 0 { // a value of the SDF
					for {
						at := r.IntN(len(text))
						if loc := value.FindIndex(text[at:min(len(text), at+4000)]); loc != nil {
							what = fmt.Sprintf("step %d, value at %d", step, at)
							text = slices.Concat(text[:at+loc[0]], []byte("(0.123:0.123:0.123)"), text[at+loc[1]:])
							break
						}
					}
				} else {
					i := int32(r.IntN(len(nl.Insts)))
					in := &nl.Insts[i]
					c := &nl.Cells[in.Cell]
					if nl.IsHoleInst(i) || c.Lib == nil {
						continue
					}
					e := &netlist.Edit{Names: nl.Names.Extend(), Libs: []*liberty.Library{lib}, Free: d.Program.NNet}
					cell := c.Lib.Name
					q := netlist.Put{Slot: i, Scope: in.Scope, Name: in.Name, Pos: in.Pos}
					rewire := step%4 == 1
					if !rewire {
						cell = sibling(lib, c.Lib, r)
					}
					what = fmt.Sprintf("step %d, %s %s to %s", step, nl.InstPath(i, '/'), c.Lib.Name, cell)
					q.Cell = e.Names.InternString(cell)
					for k, pin := range c.Lib.Pins {
						n := nl.PinNet[in.Pin0+int32(k)]
						if rewire && pin.Dir == liberty.Input {
							n = nl.Ports[r.IntN(len(nl.Ports))].Net
							rewire = false
						}
						q.Pins = append(q.Pins, netlist.PutPin{Pin: e.Names.InternString(pin.Name), Net: n})
					}
					e.Put = append(e.Put, q)
					p.Netlist, p.Touched, err = nl.Patch(ctx, e)
					if err != nil {
						refused[err.Error()]++
						continue
					}
				}
				now := text
				p.SDF = []design.SDFText{{Chunks: chunks(string(now)), Read: func(_ context.Context, off int64, n int) ([]byte, error) { return now[off : off+int64(n)], nil }}}
				next := nl
				if p.Netlist != nil {
					next = p.Netlist
				}
				got := &diag.Bag{}
				pd, changed, err := d.Patch(ctx, p, got)
				full, want := compile(next)
				var no *design.Refusal
				if errors.As(err, &no) {
					refused[no.Why]++
					nl, d = next, full
					continue
				} else if err != nil {
					t.Fatal(err)
				}
				patched++
				compareDesigns(t, what, pd, full)
				if diff := cmp.Diff(want.Totals(), got.Totals()); diff != "" {
					t.Errorf("%s: messages: %s", what, diff)
				}
				if err := pd.Program.Validate(); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				t.Logf("%s: %d bytes read, %d gates compiled, %d changed", what, changed.BytesParsed, changed.GatesCompiled, len(changed.Gates))
				if t.Failed() {
					return
				}
				nl, d = next, pd
			}
			t.Log(patched, "patched; refused", refused)
			if patched < 7 {
				t.Errorf("%d patched; refused %v", patched, refused)
			}
		})
	}
}
