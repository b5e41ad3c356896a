package native

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/wattd/wattd/rpc/api"
)

// TestExportInterval: the counts of two parts in files add up to those of the whole; what is not known of a part is left out.
func TestExportInterval(t *testing.T) {
	cl, dir := mac(t)
	run := do(t, cl, api.SimRun, api.SimRunParams{})
	mid := (run.From+run.To)/3 + 1 // no border of a window
	read := func(name string, from, to *int64) map[string][]string {
		t.Helper()
		do(t, cl, api.ExportCSV, api.ExportCSVParams{Export: api.Export{Path: name, Source: api.Source{From: from, To: to}}})
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		rows := map[string][]string{}
		for l := range strings.Lines(string(b)) {
			f := strings.Split(strings.TrimSpace(l), ",")
			rows[f[0]] = f
		}
		return rows
	}
	all, a, b := read("all.csv", nil, nil), read("a.csv", nil, &mid), read("b.csv", &mid, nil)
	head := all["net"]
	if len(all) != 403 || len(a) != len(all) || len(b) != len(all) {
		t.Fatalf("%d rows of %v", len(all), head)
	}
	for net, row := range all {
		if net == "net" {
			continue
		}
		for k := 1; k <= 8; k++ { // up to fall
			n := [3]int64{}
			for i, r := range [][]string{row, a[net], b[net]} {
				n[i], _ = strconv.ParseInt(r[k], 10, 64)
			}
			if n[0] != n[1]+n[2] {
				t.Errorf("%s %s: %d is not %d + %d", net, head[k], n[0], n[1], n[2])
			}
		}
		if row[9] == "" || a[net][9] != "" {
			t.Errorf("%s: filtered %q, of a part %q", net, row[9], a[net][9])
		}
	}
	do(t, cl, api.ExportSAIF, api.ExportSAIFParams{Export: api.Export{Path: "a.saif", Source: api.Source{To: &mid}}})
	text, err := os.ReadFile(filepath.Join(dir, "a.saif"))
	if err != nil || !strings.Contains(string(text), "(DURATION "+strconv.FormatInt(mid-run.From, 10)+")") || strings.Contains(string(text), "(IG ") {
		t.Errorf("%v\n%.400s", err, text)
	}
	fails(t, cl, api.ExportVCD, api.ExportVCDParams{Export: api.Export{Path: "a.vcd", Source: api.Source{To: &mid}}}, api.BadRequest, "whole run")
	fails(t, cl, api.ExportCSV, api.ExportCSVParams{Export: api.Export{Path: "x.csv", Source: api.Source{From: &run.To}}}, api.EmptyWindow, "no")
}
