package simtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/sim"
	"github.com/wattd/wattd/internal/simtest/model"
	"github.com/wattd/wattd/internal/simtest/oracle"
)

func TestDev(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("DEV_N"))
	first, _ := strconv.Atoi(os.Getenv("DEV_SEED"))
	if n == 0 {
		n = 2000
	}
	bad := 0
	for seed := uint64(first); seed < uint64(first+n); seed++ {
		c := model.Random(seed, model.SizeFor(seed))
		if err := dev(c); err != nil {
			bad++
			if bad <= 12 {
				t.Errorf("seed %d size %d: %v", seed, c.Size, err)
			}
			dir := filepath.Join("/tmp/simtest", fmt.Sprint(seed))
			os.MkdirAll(dir, 0o755)
			x := textsOf(c)
			os.WriteFile(dir+"/netlist.v", []byte(x.verilog), 0o644)
			os.WriteFile(dir+"/cells.lib", []byte(x.liberty), 0o644)
			os.WriteFile(dir+"/delays.sdf", []byte(x.sdf), 0o644)
			os.WriteFile(dir+"/stim.vcd", []byte(x.vcd), 0o644)
		}
	}
	t.Logf("%d of %d bad", bad, n)
}

func dev(c *model.Circuit) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("panic %v", e)
		}
	}()
	want := oracle.Run(c, oracle.Options{})
	p, err := compile(c, textsOf(c), design.Options{})
	if err != nil {
		return err
	}
	r, err := p.run(sim.Options{})
	if err != nil {
		return err
	}
	for i, n := range c.Nets {
		k := p.nets[i]
		if k < 0 {
			return fmt.Errorf("net %s not found", n.Name)
		}
		got := events(r.Waves, k)
		if r.Waves.StartValue(k) != want.Nets[i].Start || !slices.Equal(got, want.Nets[i].Ticks) {
			return fmt.Errorf("net %s (scope %v): product %v %v, oracle %v %v", n.Name, c.Path(n.Scope), r.Waves.StartValue(k), head(got), want.Nets[i].Start, head(want.Nets[i].Ticks))
		}
	}
	return nil
}

func head(x []int64) []int64 { return x[:min(len(x), 12)] }
