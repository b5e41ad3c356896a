package source

import (
	"bytes"
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"
)

// Kind is what a file holds, as told by its first bytes.
type Kind uint8

// The kinds. Those up to CSV are read by wattd; Unknown is left for the reader to judge; the rest are refused.
const (
	Unknown Kind = iota
	Verilog
	SDF
	Liberty
	VCD
	SAIF
	SPEF
	SDC
	FST
	TOML
	CSV

	Empty
	Directory
	SynopsysDB
	FSDB
	SHM
	WLF
	VPD
	Encrypted
	LFSPointer
	HTML
	UTF16
	ELF
	Zip
	PDF
	Bzip2
	Lz4
	CompressedTwice
)

var kindNames = [...]string{
	Unknown: "file of unknown kind", Verilog: "Verilog file", SDF: "SDF file", Liberty: "Liberty file", VCD: "VCD file",
	SAIF: "SAIF file", SPEF: "SPEF file", SDC: "SDC file", FST: "FST file", TOML: "TOML file", CSV: "CSV table",
	Empty: "empty file", Directory: "directory", SynopsysDB: "Synopsys .db file", FSDB: "FSDB file",
	SHM: "SHM (SST2) database", WLF: "WLF file", VPD: "VPD file", Encrypted: "encrypted Verilog file",
	LFSPointer: "Git LFS pointer", HTML: "HTML or XML page", UTF16: "UTF-16 text", ELF: "ELF binary", Zip: "zip archive",
	PDF: "PDF document", Bzip2: "bzip2 file", Lz4: "lz4 file", CompressedTwice: "file that is compressed twice",
}

func (k Kind) String() string { return kindNames[k] }

// Supported says whether wattd has a reader for k.
func (k Kind) Supported() bool { return k >= Verilog && k <= CSV }

// Kind looks at the first bytes, which stay unread. It waits for them; a fault shows in the next Read.
func (f *File) Kind() Kind {
	if !f.seen {
		f.seen = true
		if f.more() {
			f.kind = sniff(f.cur.buf[f.pos:], f.name)
		} else if f.sum != nil {
			f.kind = Empty
		}
	}
	return f.kind
}

// magics are recognised at the first byte of the text.
var magics = []struct {
	prefix string
	kind   Kind
}{
	{"\x7fELF", ELF},
	{"PK\x03\x04", Zip},
	{"%PDF-", PDF},
	{"BZh", Bzip2},
	{"\x04\x22\x4d\x18", Lz4},
	{"\xff\xfe", UTF16},
	{"\xfe\xff", UTF16},
	{"version https://git-lfs.github.com/spec/", LFSPointer},
}

// binaries names the proprietary formats, which publish no magic: the bytes say that the file is binary, the suffix
// says whose command converts it.
var binaries = map[string]Kind{
	".db": SynopsysDB, ".ddc": SynopsysDB, ".fsdb": FSDB, ".trn": SHM, ".dsn": SHM, ".wlf": WLF, ".vpd": VPD,
}

func dirKind(path string) Kind {
	if strings.EqualFold(filepath.Ext(path), ".shm") {
		return SHM
	}
	return Directory
}

// sniff tells the kind of the file that starts with b (one block, or all of a shorter file).
func sniff(b []byte, name string) Kind {
	for _, m := range magics {
		if bytes.HasPrefix(b, []byte(m.prefix)) {
			return m.kind
		}
	}
	if compression(b) != "" {
		return CompressedTwice
	}
	if isFST(b) {
		return FST
	}
	if bytes.IndexByte(b[:min(len(b), 4096)], 0) >= 0 {
		return binaries[strings.ToLower(filepath.Ext(name))]
	}
	return sniffText(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))
}

// isFST knows a header block (its length is fixed; byte 25 has the number e in either byte order), which is marked as
// skipped while the file is being written, and the gzip wrapper.
func isFST(b []byte) bool {
	if len(b) >= 33 && (b[0] == 0 || b[0] == 255) && binary.BigEndian.Uint64(b[1:]) == 329 {
		e := math.Float64bits(math.E)
		return binary.LittleEndian.Uint64(b[25:]) == e || binary.BigEndian.Uint64(b[25:]) == e
	}
	return len(b) >= 19 && b[0] == 254 && b[17] == 0x1f && b[18] == 0x8b
}

// firstWords gives away the formats that begin with a word of their own.
var firstWords = map[string]Kind{
	"module": Verilog, "macromodule": Verilog, "primitive": Verilog,
	"$date": VCD, "$version": VCD, "$timescale": VCD, "$comment": VCD, "$scope": VCD, "$var": VCD,
	"$upscope": VCD, "$enddefinitions": VCD, "$dumpvars": VCD, "$attrbegin": VCD,
	"*spef": SPEF,
	// SDC is Tcl: these commands open a constraint file in practice.
	"create_clock": SDC, "create_generated_clock": SDC, "current_design": SDC, "set_units": SDC,
	"set_propagated_clock": SDC, "set_input_delay": SDC, "set_output_delay": SDC, "set_load": SDC,
	"set_input_transition": SDC, "set_case_analysis": SDC, "set_clock_latency": SDC, "set_clock_uncertainty": SDC,
	"set_clock_transition": SDC, "set_false_path": SDC, "set_driving_cell": SDC, "set_max_fanout": SDC,
	"set_max_transition": SDC, "set_operating_conditions": SDC, "set_wire_load_model": SDC,
}

var directives = []string{
	"timescale", "define", "undef", "ifdef", "ifndef", "include", "celldefine", "default_nettype",
	"resetall", "line", "delay_mode", "suppress_faults", "enable_portfaults",
}

// sniffText judges by the first thing that is neither white space nor a comment.
func sniffText(b []byte) Kind {
	all := b
	b = skipComments(b)
	if len(b) == 0 {
		return Unknown
	}
	if b[0] == '<' {
		low := bytes.ToLower(b[:min(len(b), 64)])
		for _, p := range []string{"<!doctype", "<html", "<head", "<?xml", "<error"} {
			if bytes.HasPrefix(low, []byte(p)) {
				return HTML
			}
		}
	}
	switch b[0] {
	case '(':
		switch strings.ToLower(string(word(bytes.TrimLeft(b[1:], " \t\r\n")))) {
		case "delayfile":
			return SDF
		case "saifile":
			return SAIF
		}
		if bytes.HasPrefix(b, []byte("(*")) {
			return verilog(all)
		}
		return Unknown
	case '`':
		w := string(b[1:min(len(b), 32)])
		for _, d := range directives {
			if strings.HasPrefix(w, d) {
				return verilog(all)
			}
		}
		if isProtected(all) {
			return Encrypted
		}
		return Unknown
	}
	w := strings.ToLower(string(word(b)))
	if k, ok := firstWords[w]; ok {
		if k == Verilog {
			return verilog(all)
		}
		return k
	}
	if w == "library" && bytes.HasPrefix(bytes.TrimLeft(b[len(w):], " \t\r\n"), []byte("(")) {
		return Liberty
	}
	if w == "set" && bytes.HasPrefix(b, []byte("set sdc_version")) {
		return SDC
	}
	switch {
	case isTOML(firstLine(b)):
		return TOML
	case isCSV(b):
		return CSV
	}
	return Unknown
}

// skipComments drops white space and the comments of all our formats.
func skipComments(b []byte) []byte {
	for {
		b = bytes.TrimLeft(b, " \t\r\n\f\v")
		end := "\n"
		switch {
		case bytes.HasPrefix(b, []byte("//")), bytes.HasPrefix(b, []byte("#")):
		case bytes.HasPrefix(b, []byte("/*")):
			end = "*/"
		default:
			return b
		}
		i := bytes.Index(b, []byte(end))
		if i < 0 {
			return nil
		}
		b = b[i+len(end):]
	}
}

func word(b []byte) []byte {
	i := 0
	for i < len(b) && i < 64 && (b[i] == '_' || b[i] == '$' || b[i] == '*' && i == 0 ||
		b[i]|0x20 >= 'a' && b[i]|0x20 <= 'z' || b[i] >= '0' && b[i] <= '9') {
		i++
	}
	return b[:i]
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte{'\n'})
	return bytes.TrimRight(line, "\r")
}

// verilog tells readable Verilog from a protected envelope, which may follow a readable header.
func verilog(b []byte) Kind {
	if isProtected(b) {
		return Encrypted
	}
	return Verilog
}

func isProtected(b []byte) bool {
	for _, p := range []string{"`pragma protect begin_protected", "`pragma protect data_block", "`protected"} {
		i := bytes.Index(b, []byte(p))
		if i < 0 {
			continue
		}
		before := b[bytes.LastIndexByte(b[:i], '\n')+1 : i]
		if len(bytes.TrimSpace(before)) == 0 { // not in a comment
			return true
		}
	}
	return false
}

// isTOML knows `[table]` and `key = value`; nothing else of ours has either as its first line.
func isTOML(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) > 2 && line[0] == '[' {
		return line[len(line)-1] == ']' && isKey(bytes.Trim(line, "[]"))
	}
	key, val, ok := bytes.Cut(line, []byte{'='})
	return ok && isKey(bytes.TrimSpace(key)) && len(val) > 0 && bytes.IndexByte(val, ';') < 0
}

func isKey(b []byte) bool {
	for _, c := range b {
		if !(c == '_' || c == '-' || c == '.' || c == '"' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9') {
			return false
		}
	}
	return len(b) > 0
}

// isCSV wants a head line of plain column names and a second line of as many fields: a wrong guess would refuse a
// good file.
func isCSV(b []byte) bool {
	head, rest, ok := bytes.Cut(b, []byte{'\n'})
	commas := bytes.Count(head, []byte{','})
	if !ok || commas == 0 || bytes.Count(firstLine(rest), []byte{','}) != commas {
		return false
	}
	for f := range bytes.SplitSeq(bytes.TrimRight(head, "\r"), []byte{','}) {
		if !isKey(bytes.ReplaceAll(bytes.TrimSpace(f), []byte{' '}, []byte{'_'})) {
			return false
		}
	}
	return true
}
