package source

import "github.com/wattd/wattd/internal/diag"

// refusals says why a kind is not read, with its code and what to do.
var refusals = map[Kind]struct {
	code diag.Code
	text string
}{
	Empty:           {diag.SourceEmpty, "the file is empty"},
	Directory:       {diag.SourceNotAFile, "this is a directory"},
	SynopsysDB:      {diag.SourceForeign, "this is a Synopsys .db file; write it as Liberty with lc_shell: `read_db FILE.db; write_lib NAME -format lib`"},
	FSDB:            {diag.SourceForeign, "this is an FSDB file; convert it: `fsdb2vcd FILE.fsdb -o FILE.vcd`"},
	SHM:             {diag.SourceForeign, "this is an SHM (SST2) database; convert it: `simvisdbutil FILE.trn -vcd -output FILE.vcd`"},
	WLF:             {diag.SourceForeign, "this is a WLF file; convert it: `wlf2vcd FILE.wlf -o FILE.vcd`"},
	VPD:             {diag.SourceForeign, "this is a VPD file; convert it: `vpd2vcd FILE.vpd FILE.vcd`"},
	Encrypted:       {diag.SourceEncrypted, "this Verilog is encrypted (pragma protect)"},
	LFSPointer:      {diag.SourceLFSPointer, "this is a Git LFS pointer, not the file itself; run `git lfs pull`"},
	HTML:            {diag.SourceForeign, "this is an HTML or XML page, perhaps the error page of a failed download; fetch the file again"},
	UTF16:           {diag.SourceEncoding, "this is UTF-16 text; convert it: `iconv -f UTF-16 -t UTF-8 FILE`"},
	ELF:             {diag.SourceForeign, "this is an ELF binary (a program, library or object file)"},
	Zip:             {diag.SourceForeign, "this is a zip archive; unpack it: `unzip FILE`"},
	PDF:             {diag.SourceForeign, "this is a PDF document"},
	Bzip2:           {diag.SourceForeign, "this is a bzip2 file; repack it: `bzip2 -dc FILE | zstd -o FILE.zst`"},
	Lz4:             {diag.SourceForeign, "this is an lz4 file; repack it: `lz4 -dc FILE | zstd -o FILE.zst`"},
	CompressedTwice: {diag.SourceForeign, "this file is compressed twice; unpack it once"},
}

// Expect reports whether f can be read as want. If not, it adds an error that says what the file is. Unknown content
// passes: the reader of that format has the better message.
func (f *File) Expect(want Kind, bag *diag.Bag) bool {
	got := f.Kind()
	if got == want || got == Unknown {
		return true
	}
	pos := diag.Pos{File: f.name}
	if r, ok := refusals[got]; ok {
		bag.Add(r.code, pos, "%s is wanted here: %s", article(want), r.text)
		return false
	}
	bag.Add(diag.SourceWrongKind, pos, "%s is wanted here, but this is %s; the arguments look swapped", article(want), article(got))
	return false
}

// article puts a or an before the name of a kind, by the way it is spoken.
func article(k Kind) string {
	switch k {
	case SDF, SDC, FST:
		return "an " + k.String()
	}
	return "a " + k.String()
}
