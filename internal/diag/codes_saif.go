package diag

// Codes of the SAIF reader.
const (
	SAIFNotSAIF          Code = "saif-not-saif"
	SAIFForward          Code = "saif-forward"
	SAIFSyntax           Code = "saif-syntax"
	SAIFBadHeader        Code = "saif-bad-header"
	SAIFNoDuration       Code = "saif-no-duration"
	SAIFTruncated        Code = "saif-truncated"
	SAIFTrailing         Code = "saif-trailing-text"
	SAIFTokenTooLong     Code = "saif-token-too-long"
	SAIFDurationMismatch Code = "saif-duration-mismatch"
	SAIFUnknown          Code = "saif-unknown-construct"
	SAIFNoTimescale      Code = "saif-no-timescale"
	SAIFDependent        Code = "saif-state-path-dependent"
	SAIFSkipped          Code = "saif-skipped"
)

var saifCodes = []Info{
	{SAIFNotSAIF, Error, "The file does not begin with (SAIFILE.", "Check that the file is SAIF as plain text in an 8-bit encoding, not UTF-16 and not an unknown compression."},
	{SAIFForward, Error, "The file is forward SAIF: it tells a simulator what to record and holds no activity.", "Give the backward SAIF that the simulator wrote."},
	{SAIFSyntax, Error, "A part of the file cannot be read; without it the activity would be wrong.", "Mend the place or write the SAIF again."},
	{SAIFBadHeader, Error, "DIVIDER, TIMESCALE or DURATION is unreadable, contradicts itself, or comes too late.", "Write each once, before the first INSTANCE."},
	{SAIFNoDuration, Error, "DURATION is missing or zero, so that no rate can be computed.", "Add (DURATION n) with the simulated time in units of TIMESCALE."},
	{SAIFTruncated, Error, "The file ends before the parentheses are closed.", "Write the SAIF again; the disk may have been full, or a parenthesis is missing in the file."},
	{SAIFTrailing, Error, "Text follows the parenthesis that closes SAIFILE; it would be ignored.", "Look for one closing parenthesis too many before this place, or split files that were joined."},
	{SAIFTokenTooLong, Error, "A name, string or number is longer than 1 MiB.", "Look for a quotation mark that is not closed."},
	{SAIFDurationMismatch, Warning, "T0 + T1 + TX + TZ + TB of a net differs from DURATION.", "Check that all files of a merge cover the same time, and that recording was not switched off in between."},
	{SAIFUnknown, Warning, "A construct that this reader does not know was skipped.", "Check whether the construct matters for activity."},
	{SAIFNoTimescale, Warning, "The header has no TIMESCALE; 1 ns is taken, as the standard says.", "Add (TIMESCALE 1 ps) or the unit that is right to the header."},
	{SAIFDependent, Note, "The file has state or path dependent counters; they serve as sums where the plain counter is absent.", "Nothing needs to be done."},
	{SAIFSkipped, Note, "Groups without counts of nets (LEAKAGE, IGNORE, LEVEL) are not used.", "Nothing needs to be done."},
}
