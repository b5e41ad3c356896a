package diag

// What reading Verilog can meet.
const (
	VerilogBehavioural      Code = "verilog-behavioural"
	VerilogCharacter        Code = "verilog-character"
	VerilogConstCut         Code = "verilog-constant-cut"
	VerilogDeclConflict     Code = "verilog-declaration-conflict"
	VerilogDeclTwice        Code = "verilog-declared-twice"
	VerilogDefparam         Code = "verilog-defparam"
	VerilogDirective        Code = "verilog-directive"
	VerilogDirectiveSkipped Code = "verilog-directive-skipped"
	VerilogEmpty            Code = "verilog-empty"
	VerilogEncrypted        Code = "verilog-encrypted"
	VerilogInclude          Code = "verilog-include"
	VerilogMacroLimit       Code = "verilog-macro-limit"
	VerilogMacroUndefined   Code = "verilog-macro-undefined"
	VerilogOverride         Code = "verilog-parameter-override"
	VerilogPort             Code = "verilog-port"
	VerilogSigned           Code = "verilog-signed-constant"
	VerilogStrength         Code = "verilog-strength"
	VerilogSyntax           Code = "verilog-syntax"
	VerilogTooDeep          Code = "verilog-too-deep"
	VerilogTooLong          Code = "verilog-too-long"
	VerilogTooMany          Code = "verilog-too-many-errors"
	VerilogTooWide          Code = "verilog-too-wide"
	VerilogTrireg           Code = "verilog-trireg"
	VerilogUnterminated     Code = "verilog-unterminated"
)

var verilogCodes = []Info{
	{VerilogBehavioural, Note, "a module holds something that is not structural (always, initial, a function, a generate loop, an arithmetic operator, a user primitive); the module is skipped", "an error only where the module is instantiated: give the synthesised netlist of it, or its Liberty cell"},
	{VerilogCharacter, Error, "a byte that Verilog does not have outside comments, strings and escaped names", "the file may be compressed, binary, or in another encoding than UTF-8 or ASCII"},
	{VerilogConstCut, Warning, "a constant with more significant bits than its size; the upper ones are cut off", "write the size that the value needs"},
	{VerilogDeclConflict, Error, "two declarations of one name disagree in range, direction or type", "make the declarations agree"},
	{VerilogDeclTwice, Warning, "a name is declared twice in the same way", "remove one of the declarations"},
	{VerilogDefparam, Note, "defparam is ignored; parameters have their defaults", "nothing to do where the parameter does not shape the module; else write a netlist without parameters"},
	{VerilogDirective, Error, "a compiler directive that is malformed or that would change the meaning of the netlist", "correct the directive"},
	{VerilogDirectiveSkipped, Note, "a vendor's compiler directive, which says nothing about the function, is skipped", ""},
	{VerilogEmpty, Warning, "a file without any module", "check that this is the file that was meant"},
	{VerilogEncrypted, Error, "an encrypted region (`pragma protect or `protected); only the vendor's tools can read it", "give the netlist in plain text, or leave the file out when Liberty has its cells"},
	{VerilogInclude, Error, "an `include whose file cannot be opened, or that includes itself", "name the folder of the file in the include path"},
	{VerilogMacroLimit, Error, "a macro that expands into itself or into more than 64 MiB", "correct the definition of the macro"},
	{VerilogMacroUndefined, Error, "a backquote in front of a name that is neither a directive nor a macro", "define the macro, in the file or on the command line"},
	{VerilogOverride, Note, "the #(...) of an instance is ignored; parameters have their defaults", "nothing to do where the parameter does not shape the module; else write a netlist without parameters"},
	{VerilogPort, Error, "a port without direction, or a direction without port", "make the header and the declarations of the module agree"},
	{VerilogSigned, Warning, "a signed constant with its sign bit set; where it meets a wider net it is extended by zeros", "write the constant with the width of the net"},
	{VerilogStrength, Note, "drive strengths are ignored: nets have two values and no strengths", ""},
	{VerilogSyntax, Error, "text that is no Verilog, or not of the subset that netlists are written in", "correct the text at the place shown"},
	{VerilogTooDeep, Error, "an expression nested so deep, or so long, that no netlist would have it", "split the expression"},
	{VerilogTooLong, Error, "a name, number or macro of more than 1 MiB", "the file is probably damaged"},
	{VerilogTooMany, Error, "reading ended after many errors", "correct the first errors and run again"},
	{VerilogTooWide, Error, "a range, replication or index of more than 2^24 bits, or a replication of none", "check the bounds, and the parameters in them"},
	{VerilogTrireg, Warning, "a trireg net is read as a wire: it holds no charge", "drive the net at all times"},
	{VerilogUnterminated, Error, "the file ends, or a module ends, inside something", "the file is probably cut off; write it again"},
}
