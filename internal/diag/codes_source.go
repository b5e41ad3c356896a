package diag

// Codes about input files as such, before any format is read.
const (
	SourceWrongKind  Code = "source-wrong-kind"
	SourceForeign    Code = "source-foreign-format"
	SourceEncrypted  Code = "source-encrypted"
	SourceLFSPointer Code = "source-lfs-pointer"
	SourceEncoding   Code = "source-encoding"
	SourceEmpty      Code = "source-empty"
	SourceNotAFile   Code = "source-not-a-file"
	SourceDamaged    Code = "source-damaged"
)

var sourceCodes = []Info{
	{SourceWrongKind, Error, "a file was given in a role that its content does not fit, for example the SDF as the netlist", "check the order of the arguments"},
	{SourceForeign, Error, "the file is in a format that wattd does not read", "convert the file; the message names the command where there is one"},
	{SourceEncrypted, Error, "the Verilog source is in an encrypted envelope", "ask the supplier for a readable gate netlist, or leave the module out and give its outputs as stimulus (black box)"},
	{SourceLFSPointer, Error, "the repository was cloned without its large files", "run `git lfs pull` in that repository"},
	{SourceEncoding, Error, "the file is UTF-16 text", "convert the file to UTF-8"},
	{SourceEmpty, Error, "the file has no content, or decompresses to nothing", "check the step that wrote the file: disk full, or killed before its first write"},
	{SourceNotAFile, Error, "a directory was given where a file is wanted", "name the file in it"},
	{SourceDamaged, Error, "a compressed file is corrupt or was cut short, for example by a copy that stopped", "copy or compress the file again; `gzip -t`, `zstd -t` or `xz -t` check it"},
}
