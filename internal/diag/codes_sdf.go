package diag

// Codes of the SDF reader.
const (
	SDFNotSDF           Code = "sdf-not-sdf"
	SDFSyntax           Code = "sdf-syntax"
	SDFValueCount       Code = "sdf-value-count"
	SDFBadHeader        Code = "sdf-bad-header"
	SDFTruncated        Code = "sdf-truncated"
	SDFTrailing         Code = "sdf-trailing-text"
	SDFTokenTooLong     Code = "sdf-token-too-long"
	SDFSeveralInstances Code = "sdf-several-instances"
	SDFUnknown          Code = "sdf-unknown-construct"
	SDFNoTimescale      Code = "sdf-no-timescale"
	SDFTimingCheck      Code = "sdf-timing-check"
	SDFTimingEnv        Code = "sdf-timing-env"
	SDFLabel            Code = "sdf-label"
	SDFRetain           Code = "sdf-retain"
)

var sdfCodes = []Info{
	{SDFNotSDF, Error, "The file does not begin with (DELAYFILE.", "Check that the file is SDF as plain text in an 8-bit encoding, not UTF-16 and not an unknown compression."},
	{SDFSyntax, Error, "A statement cannot be read; without it the delays would be wrong.", "Mend the statement or write the SDF again."},
	{SDFValueCount, Error, "A delay statement has a number of values that IEEE 1497 does not define.", "Give 1, 2, 3, 6 or 12 values, each in parentheses; 1 or 2 for pulse limits."},
	{SDFBadHeader, Error, "DIVIDER or TIMESCALE is unreadable, contradicts itself, or changes after the first CELL.", "Write DIVIDER as . or / and TIMESCALE as 1, 10 or 100 with us, ns or ps, once, before the first CELL."},
	{SDFTruncated, Error, "The file ends before the parentheses are closed.", "Write the SDF again; the disk may have been full, or a parenthesis is missing in the file."},
	{SDFTrailing, Error, "Text follows the parenthesis that closes DELAYFILE; it would be ignored.", "Look for one closing parenthesis too many before this place, or split files that were joined."},
	{SDFTokenTooLong, Error, "A name, string, number or condition is longer than 1 MiB.", "Look for a quotation mark that is not closed."},
	{SDFSeveralInstances, Warning, "A CELL has more than one INSTANCE; they are read as levels of one path.", "Write one CELL with one INSTANCE for each instance."},
	{SDFUnknown, Warning, "A construct that this reader does not know was skipped.", "Check whether the construct matters for delays."},
	{SDFNoTimescale, Note, "The header has no TIMESCALE; 1 ns is taken, as the standard says.", "Add (TIMESCALE 1ns) or the unit that is right to the header."},
	{SDFTimingCheck, Note, "Timing checks do not take part in the simulation.", "Nothing needs to be done."},
	{SDFTimingEnv, Note, "TIMINGENV does not take part in the simulation.", "Nothing needs to be done."},
	{SDFLabel, Note, "LABEL entries change specparams, which are not read.", "If delays depend on these specparams, write them as IOPATH."},
	{SDFRetain, Note, "RETAIN times are not simulated: the output keeps its old value until its new one.", "Nothing needs to be done."},
}
