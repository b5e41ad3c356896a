// Package example makes the design that ships with wattd: a small cell library, a multiplier with an accumulator in
// gates, its delays and a stimulus.
//
// Contract: everything is computed from constants, with integers only, so the files are the same bytes on every machine.
// The registers in the stimulus hold what the RTL function of the design gives and change when a timed simulation would
// let them; a test evaluates the gates and finds the same values. The package knows the formats as text only and
// imports no reader of ours, so that the example is an independent check of them. The library serves the benchmark
// designs too.
package example

import (
	"bytes"
	"io"
)

// cycles is the length of the stimulus.
const cycles = 97

// File is a file of the example.
type File struct {
	Name string
	Data []byte
}

// Files makes the generated files of examples/mac.
func Files() ([]File, error) {
	m := MAC()
	f := Flatten(m)
	t := Annotate(f)
	var files []File
	for _, x := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"cells.lib", WriteLiberty},
		{"netlist.v", func(w io.Writer) error { return WriteVerilog(w, m) }},
		{"delays.sdf", func(w io.Writer) error { return WriteSDF(w, m.Name, f, t) }},
		{"stim.vcd", func(w io.Writer) error { return WriteVCD(w, f, t, Cycles(cycles)) }},
	} {
		var b bytes.Buffer
		if err := x.write(&b); err != nil {
			return nil, err
		}
		files = append(files, File{x.name, b.Bytes()})
	}
	return files, nil
}
