package diag

// Codes of value change dumps.
const (
	VCDSyntax         Code = "vcd-syntax"
	VCDNoDefinitions  Code = "vcd-no-enddefinitions"
	VCDTimescale      Code = "vcd-timescale"
	VCDTimeBackwards  Code = "vcd-time-backwards"
	VCDUndeclared     Code = "vcd-undeclared-id"
	VCDChangeInGap    Code = "vcd-change-in-gap"
	VCDUnterminated   Code = "vcd-unterminated"
	VCDTokenTooLong   Code = "vcd-token-too-long"
	VCDCutShort       Code = "vcd-cut-short"
	VCDVectorTooLong  Code = "vcd-vector-too-long"
	VCDAliasWidth     Code = "vcd-alias-width"
	VCDNotLogic       Code = "vcd-not-logic"
	VCDUpscope        Code = "vcd-upscope"
	VCDUnknownKeyword Code = "vcd-unknown-keyword"
)

var vcdCodes = []Info{
	{VCDSyntax, Error, "the text at this place is not VCD: a damaged file, or a dialect that is not known", "look at the line; dump again, or report it if a simulator wrote it so"},
	{VCDNoDefinitions, Error, "the file ends, or value changes begin, before $enddefinitions", "the dump was cut short or is not a VCD file; dump again"},
	{VCDTimescale, Error, "$timescale is missing, contradicts an earlier one, or is not 1, 10 or 100 of s ms us ns ps fs as", "set the time unit and precision in the test bench (`timescale`), or override the unit of the dump"},
	{VCDTimeBackwards, Error, "a time stamp is before the one in front of it, for example two dumps in one file", "split the file at this line"},
	{VCDUndeclared, Error, "a value change names an identifier code that no $var declares", "the file is damaged or was put together from two dumps; dump again"},
	{VCDChangeInGap, Error, "a value changes between $dumpoff and $dumpon", "the dump contradicts itself; dump again"},
	{VCDUnterminated, Error, "a $ command has no $end", "the file was cut short; dump again"},
	{VCDTokenTooLong, Error, "a word of more than 16 MiB", "the file is damaged or is not a VCD file"},
	{VCDCutShort, Warning, "the last line has no newline, so the dump may have been cut short in it; what is incomplete is dropped", "let the simulation end by $finish, or end the run before the last time stamp"},
	{VCDVectorTooLong, Warning, "a value has more digits than its variable has bits; the leading ones are dropped", "check the declaration of the variable"},
	{VCDAliasWidth, Warning, "one identifier code is declared with several widths; values get the widest", "check the declarations; the narrower ones stand for the low bits"},
	{VCDNotLogic, Warning, "a variable that holds bits is given a real or string value, which is dropped", "dump the variable as bits"},
	{VCDUpscope, Warning, "there are more $upscope than $scope", "names after this line may belong to another scope; check the hierarchy that is shown"},
	{VCDUnknownKeyword, Warning, "a $ command that is not known is skipped up to its $end", "nothing to do if it carries no values"},
}
