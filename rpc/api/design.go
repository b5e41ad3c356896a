package api

// Requests about designs and their files.
var (
	DesignOpen        = method[DesignOpenParams, DesignStatusResult]("design/open", "Reads, links and compiles a design and keeps it. Opening the same files under the same name again is free.")
	DesignClose       = method[DesignParams, Empty]("design/close", "Lets a design go, with its stimuli and overlays, once the last connection that opened it has closed it.")
	DesignList        = method[Empty, DesignListResult]("design/list", "The open designs.")
	DesignStatus      = method[DesignParams, DesignStatusResult]("design/status", "What a design is made of, how it was read, and what it costs.")
	DesignDiagnostics = method[DiagnosticsParams, DiagnosticsResult]("design/diagnostics", "The messages about its inputs.")
	WorkspaceChanged  = method[ChangedParams, ChangedResult]("workspace/changed", "Says that files were written, and that those which belong together are complete now. For flows that know it better than a watcher; works on network file systems.", inOrder)
)

// DesignOpenParams are a wattd.toml or the files and choices that one would have; the fields are its keys. What is given beside
// a project file replaces the key there.
type DesignOpenParams struct {
	Call
	Name           string   `json:"name,omitempty"`             // name of the design; absent: that of its top module
	Project        string   `json:"project,omitempty"`          // path of a wattd.toml
	Netlist        []string `json:"netlist,omitempty"`          // Verilog files
	FileList       []string `json:"fileList,omitempty"`         // files that list Verilog files
	Lib            []string `json:"lib,omitempty"`              // Liberty files
	SDF            []string `json:"sdf,omitempty"`              // FILE or FILE@INSTANCE
	Top            string   `json:"top,omitempty"`              // top module; absent: the one that nobody instantiates
	Corner         string   `json:"corner,omitempty"`           // column of the SDF: min, typ (default), max
	CornerFallback bool     `json:"cornerFallback,omitempty"`   // take another column where that one is empty
	Unconditional  string   `json:"sdfUnconditional,omitempty"` // what an IOPATH without COND acts on: all (default), default
	PulseReject    string   `json:"pulseReject,omitempty"`      // percent of the delay, for arcs without a limit of their own
	Tick           string   `json:"tick,omitempty"`             // for example 1ps; absent: the coarsest that holds all delays
	Engine         string   `json:"engine,omitempty"`           // host, or absent for the best there is
	Watch          *bool    `json:"watch,omitempty"`            // look after the files; absent: true

	Env map[string]string `json:"env,omitempty"` // variables that wattd.toml and file lists may name; those of the server are not used
}

// DesignParams name a design.
type DesignParams struct {
	Target
}

// DesignListResult has a row a design.
type DesignListResult struct {
	Meta    Meta             `json:"meta"`
	Designs Table[DesignRow] `json:"designs"`
}

// DesignRow is an open design.
type DesignRow struct {
	Name     string `json:"name"`
	Top      string `json:"top"`
	State    string `json:"state"`    // reading, ready, incomplete (a file is being written), failed, waves evicted, evicted (for the memory budget; the next query makes again what is missing)
	Snapshot int64  `json:"snapshot"` // newest complete one
	Gates    int64  `json:"gates"`
	Nets     int64  `json:"nets"`
	Memory   int64  `json:"memory"`  // bytes accounted, what snapshots share once
	Stimuli  int64  `json:"stimuli"` // loaded
	Watched  bool   `json:"watched"`
	Project  string `json:"project"` // path of its wattd.toml, or empty
}

// DesignStatusResult describes a design.
type DesignStatusResult struct {
	Meta      Meta           `json:"meta"`
	Design    DesignRow      `json:"design"`
	Instances int64          `json:"instances"`
	Scopes    int64          `json:"scopes"`               // module instances, the top included
	Levels    int64          `json:"levels"`               // longest chain of gates
	Pins      int64          `json:"pins"`                 // inputs of gates
	Arcs      int64          `json:"arcs"`                 // delays
	Annotated int64          `json:"annotated"`            // arcs with a delay from an SDF file
	Wires     int64          `json:"wires"`                // pins with a wire delay
	Classes   []Count        `json:"classes"`              // nets by class
	BlackBox  []Count        `json:"blackBoxes,omitempty"` // instances by cell that has no function
	Loops     []string       `json:"loops,omitempty"`      // nets at which loops were opened
	Files     Table[FileRow] `json:"files"`
}

// Count is a name and how often.
type Count struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// FileRow is a file of a design.
type FileRow struct {
	Path   string `json:"path"`
	Format string `json:"format"` // verilog, liberty, sdf, vcd, toml
	Blake3 string `json:"blake3"` // hash of the content that is in use
	Bytes  int64  `json:"bytes"`
	State  string `json:"state"` // used, changed, incomplete, missing
	Watch  string `json:"watch"` // events, poll, or empty when nobody looks
}

// DiagnosticsParams choose messages.
type DiagnosticsParams struct {
	Target
	Page
	Severity string   `json:"severity,omitempty"` // least severity: note (default), warning, error
	Codes    []string `json:"codes,omitempty"`    // only these codes
}

// DiagnosticsResult has totals by code and the messages kept, the first few of each code.
type DiagnosticsResult struct {
	Meta     Meta              `json:"meta"`
	Totals   Table[CodeTotal]  `json:"totals"`
	Messages Table[Diagnostic] `json:"messages"`
}

// CodeTotal is the number of messages with a code.
type CodeTotal struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	N        int64  `json:"n"`
}

// ChangedParams name what was written.
type ChangedParams struct {
	Call
	Paths []string `json:"paths"`          // files or folders; relative ones to the folder of the session
	Wait  bool     `json:"wait,omitempty"` // answer once the designs that use them are read again
}

// ChangedResult says what the change meant.
type ChangedResult struct {
	Meta    Meta     `json:"meta"`
	Changed []string `json:"changed"` // those whose content differs from what was in use
	Designs []string `json:"designs"` // designs that use them
	Unused  []string `json:"unused"`  // paths that no open design uses
}
