package api

// Requests that write files. A file is whole or not there.
var (
	ExportSAIF = method[ExportSAIFParams, ExportResult]("export/saif", "Writes the counts as SAIF.")
	ExportVCD  = method[ExportVCDParams, ExportResult]("export/vcd", "Writes the events of nets as VCD.")
	ExportCSV  = method[ExportCSVParams, ExportResult]("export/csv", "Writes the counts as a table.")
)

// Export is where a file goes. Counts may be of an interval, VCD is of the whole run; pulses that gates removed are left out where the
// interval cuts windows of the run.
type Export struct {
	Source
	Path      string `json:"path"`                // relative to the folder of the session; names of compressed files (.gz, .zst, .xz) are refused
	Overwrite bool   `json:"overwrite,omitempty"` // replace a file that is there
}

// ExportSAIFParams choose the form of the file.
type ExportSAIFParams struct {
	Export
	Dialect string `json:"dialect,omitempty"` // as saif_dialect of wattd.toml
	IG      string `json:"ig,omitempty"`      // edges (default): 2 x filtered pulses; pulses
}

// ExportVCDParams choose nets.
type ExportVCDParams struct {
	Export
	Selection
}

// ExportCSVParams choose nets.
type ExportCSVParams struct {
	Export
	Selection
}

// ExportResult says what was written.
type ExportResult struct {
	Meta   Meta   `json:"meta"`
	Path   string `json:"path"` // absolute
	Bytes  int64  `json:"bytes"`
	Blake3 string `json:"blake3"` // of the file
	Nets   int64  `json:"nets"`
}
