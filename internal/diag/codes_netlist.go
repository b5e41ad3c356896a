package diag

// Codes of package netlist.
const (
	NetlistNoTop           Code = "netlist-no-top"
	NetlistManyTops        Code = "netlist-many-tops"
	NetlistTopMissing      Code = "netlist-top-missing"
	NetlistTopBehavioural  Code = "netlist-top-behavioural"
	NetlistDuplicateModule Code = "netlist-duplicate-module"
	NetlistDuplicateCell   Code = "netlist-duplicate-cell"
	NetlistModuleAndCell   Code = "netlist-module-and-cell"
	NetlistRecursion       Code = "netlist-recursion"
	NetlistTooLarge        Code = "netlist-too-large"
	NetlistBlackBox        Code = "netlist-black-box"
	NetlistUnknownPin      Code = "netlist-unknown-pin"
	NetlistUnknownPort     Code = "netlist-unknown-port"
	NetlistTooManyPorts    Code = "netlist-too-many-connections"
	NetlistPortTwice       Code = "netlist-port-connected-twice"
	NetlistPortUndeclared  Code = "netlist-port-undeclared"
	NetlistDuplicateInst   Code = "netlist-duplicate-instance"
	NetlistUnnamedInst     Code = "netlist-unnamed-instance"
	NetlistParameters      Code = "netlist-parameters"
	NetlistUndeclared      Code = "netlist-undeclared-net"
	NetlistSelectRange     Code = "netlist-select-out-of-range"
	NetlistSelectScalar    Code = "netlist-select-of-scalar"
	NetlistWidth           Code = "netlist-width-mismatch"
	NetlistArrayWidth      Code = "netlist-array-width"
	NetlistTooWide         Code = "netlist-too-wide"
	NetlistUnknownConst    Code = "netlist-unknown-constant"
	NetlistConstOutput     Code = "netlist-constant-output"
	NetlistNotNet          Code = "netlist-not-a-net"
	NetlistExpression      Code = "netlist-expression"
	NetlistSwitch          Code = "netlist-switch"
	NetlistPrimitivePorts  Code = "netlist-primitive-terminals"
)

var netlistCodes = []Info{
	{NetlistNoTop, Error, "no module is a candidate for the top: all are instantiated, empty, or behavioural", "name the top module with --top, or add the file that defines it"},
	{NetlistManyTops, Error, "several modules that nobody instantiates have instances", "name the top module with --top"},
	{NetlistTopMissing, Error, "the chosen top module is not in the files read", "check the spelling, or add the file that defines it"},
	{NetlistTopBehavioural, Error, "the top module contains code that is not structural; leaving it out would change the result", "give the synthesised netlist, not the test bench or the RTL"},
	{NetlistDuplicateModule, Warning, "a module is defined twice; the last definition is used", "remove the stale file from the list"},
	{NetlistDuplicateCell, Note, "a cell in use is defined by several libraries; the first one is used", "order the libraries so that the wanted one comes first"},
	{NetlistModuleAndCell, Note, "a structural module has the name of a library cell; the module is used", "remove the module to use the library cell"},
	{NetlistRecursion, Error, "a module instantiates itself, directly or through others", "break the cycle"},
	{NetlistTooLarge, Error, "the hierarchy is too deep, or expands to more nets and pins than the limit", "check for a netlist that multiplies by mistake, or raise the limit"},
	{NetlistBlackBox, Warning, "a cell is neither in a library nor a structural module; what it drives has to come from the stimulus", "add the library or the netlist that defines it"},
	{NetlistUnknownPin, Error, "a connection names a pin that the library cell does not have", "use the library that the netlist was made with"},
	{NetlistUnknownPort, Error, "a connection names a port that the module does not have", "use the netlist of the block that fits this instance"},
	{NetlistTooManyPorts, Error, "an instance has more positional connections than its cell has ports", "use the library or module that the netlist was made with"},
	{NetlistPortTwice, Error, "a port is connected twice in one instance", "remove one of the connections"},
	{NetlistPortUndeclared, Error, "a header port has no input, output or inout declaration", "declare its direction"},
	{NetlistDuplicateInst, Error, "two instances of one module have the same name", "rename one; delays and activity could not tell them apart"},
	{NetlistUnnamedInst, Error, "an instance of a module or cell has no name; only gate primitives may go without", "name it; delays and results could not refer to it"},
	{NetlistParameters, Error, "an instance overrides parameters of a module whose ranges, constants or delays depend on them; modules are read with their defaults", "give the netlist with the parameters applied, as synthesis writes it"},
	{NetlistUndeclared, Error, "a net is used without a declaration where none may be implied", "declare the net, or remove `default_nettype none"},
	{NetlistSelectRange, Error, "a bit or part select lies outside the declared range", "check the declaration of the net"},
	{NetlistSelectScalar, Warning, "bit 0 of a scalar net is selected; taken as the net", "remove the select, or declare a range"},
	{NetlistWidth, Warning, "the two sides of a connection or assignment differ in width; cut, or extended by 0", "check the connection"},
	{NetlistArrayWidth, Error, "a connection of an instance array fits neither one instance nor all of them", "check the width of the connection"},
	{NetlistTooWide, Error, "a vector, replication or array is too wide", "check the range or the count"},
	{NetlistUnknownConst, Warning, "a constant has x or z bits; they read as 0", "tie the pin to 0 or 1 if that is meant"},
	{NetlistConstOutput, Warning, "an output is connected to a constant; left open", "connect a net, or leave the port empty"},
	{NetlistNotNet, Error, "an output or the left side of an assignment is connected to something that is not a net", "connect a net, a select of one or a concatenation"},
	{NetlistExpression, Error, "an expression is nested too deeply, or is not structural", "synthesise it to cells"},
	{NetlistSwitch, Error, "switch primitives (tran, nmos, cmos...) are not simulated", "replace them by cells of a library"},
	{NetlistPrimitivePorts, Error, "a gate primitive has the wrong number of terminals", "check the instance"},
}
