package diag

// The codes of Liberty libraries.
const (
	LibertySyntax        Code = "liberty-syntax"
	LibertyUnclosed      Code = "liberty-unclosed"
	LibertyTooLong       Code = "liberty-too-long"
	LibertyNoLibrary     Code = "liberty-no-library"
	LibertySecondLibrary Code = "liberty-second-library"
	LibertyIncludeFile   Code = "liberty-include-file"
	LibertyBadFunction   Code = "liberty-bad-function"
	LibertyBadWhen       Code = "liberty-bad-when"
	LibertyBadNumber     Code = "liberty-bad-number"
	LibertyBadValue      Code = "liberty-bad-value"
	LibertyBadTable      Code = "liberty-bad-table"
	LibertyBadStatetable Code = "liberty-bad-statetable"
	LibertyBadBus        Code = "liberty-bad-bus"
	LibertyNoLeakageUnit Code = "liberty-no-leakage-unit"
	LibertyNoDirection   Code = "liberty-no-direction"
	LibertyDuplicateCell Code = "liberty-duplicate-cell"
	LibertyDuplicatePin  Code = "liberty-duplicate-pin"
	LibertyUnknownGroup  Code = "liberty-unknown-group"
)

var libertyCodes = []Info{
	{LibertySyntax, Error, "the text is not Liberty at this place", "check the file at this line; is it complete, decompressed, and a .lib?"},
	{LibertyUnclosed, Error, "a group, string or comment does not end before the file does", "the file is cut off, or a '}', '\"' or '*/' is missing"},
	{LibertyTooLong, Error, "one token is longer than 1 MiB or one statement longer than 16 MiB", "a closing quote or parenthesis is probably missing"},
	{LibertyNoLibrary, Error, "the file has no library group", "give a Liberty (.lib) file"},
	{LibertySecondLibrary, Error, "the file has more than one library group", "split it into one file for each library"},
	{LibertyIncludeFile, Error, "include_file is not followed", "paste the included text into the library"},
	{LibertyBadFunction, Error, "a Boolean function cannot be read", "correct the function; operators are ! ' * & + | ^ and parentheses"},
	{LibertyBadWhen, Warning, "a condition cannot be read; the group that has it is left out", "correct the condition; operators are ! ' * & + | ^ and parentheses"},
	{LibertyBadNumber, Error, "an attribute should be a number", "correct the value; names in an expression must be in voltage_map"},
	{LibertyBadValue, Error, "an attribute has a value that it cannot have, or too few values", "correct the value"},
	{LibertyBadTable, Warning, "a look-up table has no template, or its values do not fill its indices; it is left out", "correct the table"},
	{LibertyBadStatetable, Error, "a statetable cannot be read", "a row is inputs : current states : next states, one letter for each name in the header; rows end with a comma"},
	{LibertyBadBus, Error, "the bits of a bus or bundle are not known, or do not fit", "check bus_type, the type group, members, and the pins inside"},
	{LibertyNoLeakageUnit, Warning, "the library has leakage but no leakage_power_unit; 1 W is taken", "add leakage_power_unit"},
	{LibertyNoDirection, Warning, "a pin has no direction; it is not connected", "add direction to the pin"},
	{LibertyDuplicateCell, Note, "a cell is there twice; the last one counts", "remove one of them"},
	{LibertyDuplicatePin, Note, "a pin of a cell is there twice; the groups are merged and the last value of an attribute counts", "remove one of them"},
	{LibertyUnknownGroup, Note, "a group that is neither standard nor declared by define_group is skipped", "nothing to do unless the group holds data that you need"},
}
