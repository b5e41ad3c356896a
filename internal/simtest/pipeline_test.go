package simtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/sim"
	"github.com/wattd/wattd/internal/simtest/model"
	"github.com/wattd/wattd/internal/wave"
	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/host"
)

// texts are the four files of a case.
type texts struct {
	verilog, liberty, vcd string
	sdf                   []string
}

func textsOf(c *model.Circuit) texts {
	return texts{verilog: c.Verilog(), liberty: c.Liberty(), sdf: c.SDFTexts(), vcd: c.VCD()}
}

// product is a case taken through the pipeline up to the engine.
type product struct {
	c    *model.Circuit
	d    *design.Design
	st   *wave.Stimulus
	nets []int32 // by net of the model; netlist.None where the netlist has none (nothing uses it)
}

// errInput is a case that the product refused.
var errInput = errors.New("the product found errors in the input")

// compile reads, links, compiles and binds.
func compile(c *model.Circuit, x texts, opt design.Options) (*product, error) {
	ctx := context.Background()
	bag := &diag.Bag{}
	failed := func(err error) error {
		if err == nil && bag.Errors() > 0 {
			var b strings.Builder
			bag.Write(&b, diag.Error, 3)
			err = fmt.Errorf("%w:\n%s", errInput, b.String())
		}
		return err
	}
	names := scan.NewNames()
	mods, err := verilog.Read(ctx, strings.NewReader(x.verilog), "netlist.v", 0, names, verilog.Option{}, bag)
	if err = failed(err); err != nil {
		return nil, err
	}
	lib, err := liberty.Read(ctx, strings.NewReader(x.liberty), "cells.lib", bag)
	if err = failed(err); err != nil {
		return nil, err
	}
	nl, err := netlist.Link(ctx, netlist.Input{Modules: mods, Names: names, Files: []string{"netlist.v"}, Libs: []*liberty.Library{lib}, Top: "top"}, bag)
	if err = failed(err); err != nil {
		return nil, err
	}
	opt.Corner = []design.Corner{design.Min, design.Typ, design.Max}[c.Corner]
	opt.Tick = 1
	for range c.TickExp + 18 {
		opt.Tick *= 10
	}
	var sdf []design.SDF
	for i, text := range x.sdf {
		sdf = append(sdf, design.SDF{Name: fmt.Sprintf("delays%d.sdf", i), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
	}
	d, err := design.Compile(ctx, nl, opt, sdf, bag)
	if err = failed(err); err != nil {
		return nil, err
	}
	wopt := wave.Options{Scope: "tb.dut", From: c.From, HasFrom: true, To: c.To, HasTo: true}
	wopt.X = map[model.XPolicy]wave.X{model.XHold: wave.XHold, model.XZero: wave.XZero, model.XOne: wave.XOne}[c.X]
	dump, err := wave.OpenDump(ctx, d, wave.Input{Name: "stim.vcd", R: strings.NewReader(x.vcd)}, wopt, bag)
	if err = failed(err); err != nil {
		return nil, err
	}
	if opt.Named = dump.Named(); len(d.Floating) > 0 {
		if d, err = design.Compile(ctx, nl, opt, sdf, bag); failed(err) != nil {
			return nil, failed(err)
		}
	}
	p := &product{c: c, d: d}
	if p.st, err = dump.Load(ctx, d, wopt, bag); failed(err) != nil {
		return nil, failed(err)
	}
	p.bindNets()
	return p, nil
}

// bindNets finds the nets of the model by name.
func (p *product) bindNets() {
	nl := p.d.Netlist
	scopes := make([]int32, len(p.c.Scopes))
	for s, sc := range p.c.Scopes {
		if s > 0 {
			scopes[s] = nl.ChildScope(scopes[sc.Parent], []byte(sc.Name))
		}
	}
	for _, n := range p.c.Nets {
		bit := netlist.NoBit
		if n.Bit >= 0 {
			bit = int32(n.Bit)
		}
		p.nets = append(p.nets, nl.FindNet(scopes[n.Scope], []byte(n.Name), bit))
	}
}

// run simulates.
func (p *product) run(opt sim.Options) (*sim.Result, error) {
	if opt.Engine == nil {
		opt.Engine = host.New()
	}
	if opt.Workers == 0 {
		opt.Workers = 1
	}
	return sim.Run(context.Background(), p.d, p.st, opt, &diag.Bag{})
}

// events lists the changes of a net.
func events(w *kernel.Waves, net int32) []int64 {
	var ts []int64
	w.Each(net, func(t int64, _ bool) { ts = append(ts, t) })
	return ts
}
