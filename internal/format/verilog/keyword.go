package verilog

// keyword is a reserved word that matters to the parser, or kwNone.
type keyword uint8

const (
	kwNone keyword = iota
	kwModule
	kwEndmodule
	kwPrimitive
	kwEndprimitive
	kwConfig
	kwEndconfig
	kwPackage
	kwEndpackage
	kwInterface
	kwEndinterface
	kwAutomatic
	kwStatic

	kwInput
	kwOutput
	kwInout

	kwWire
	kwTri
	kwWand
	kwTriand
	kwWor
	kwTrior
	kwTri0
	kwTri1
	kwTrireg
	kwSupply0
	kwSupply1
	kwReg
	kwLogic

	kwAnd
	kwNand
	kwOr
	kwNor
	kwXor
	kwXnor
	kwBuf
	kwNot
	kwBufif0
	kwBufif1
	kwNotif0
	kwNotif1
	kwPullup
	kwPulldown
	kwSwitch // tran and its kin

	kwParameter // and localparam, specparam
	kwSpecparam

	kwSigned
	kwUnsigned
	kwVectored
	kwScalared
	kwStrength // supply strengths, small, medium, large

	kwAssign
	kwDefparam
	kwGenerate
	kwEndgenerate

	kwStatement // always, initial, for ...: a statement follows
	kwAssertion // the same, and a name in old netlists
	kwBegin
	kwFork
	kwCase
	kwEnd
	kwElse
	kwWhile
	kwDisable // and wait: a fork behind it opens nothing

	kwSpecify
	kwEndspecify
	kwTable
	kwEndtable
	kwFunction
	kwEndfunction
	kwTask
	kwEndtask
	kwProperty
	kwEndproperty
	kwSequence
	kwEndsequence
	kwClass
	kwEndclass
	kwClocking
	kwEndclocking

	kwVariable // integer, real, time, event, genvar
	kwOther    // anything else that no structural netlist holds
)

// class groups keywords by what a module item that begins with them is.
type class uint8

const (
	isName class = iota
	isDir
	isNet
	isGate
	isParam
	isStatement
	isBlock
	isVariable
	isElse
)

var classes = [256]class{
	kwInput: isDir, kwOutput: isDir, kwInout: isDir,
	kwWire: isNet, kwTri: isNet, kwWand: isNet, kwTriand: isNet, kwWor: isNet, kwTrior: isNet, kwTri0: isNet,
	kwTri1: isNet, kwTrireg: isNet, kwSupply0: isNet, kwSupply1: isNet, kwReg: isNet, kwLogic: isNet,
	kwAnd: isGate, kwNand: isGate, kwOr: isGate, kwNor: isGate, kwXor: isGate, kwXnor: isGate, kwBuf: isGate,
	kwNot: isGate, kwBufif0: isGate, kwBufif1: isGate, kwNotif0: isGate, kwNotif1: isGate, kwPullup: isGate,
	kwPulldown: isGate, kwSwitch: isGate,
	kwParameter: isParam, kwSpecparam: isParam,
	kwStatement: isStatement, kwAssertion: isStatement, kwBegin: isStatement, kwFork: isStatement, kwCase: isStatement, kwWhile: isStatement,
	kwSpecify: isBlock, kwTable: isBlock, kwFunction: isBlock, kwTask: isBlock, kwProperty: isBlock,
	kwSequence: isBlock, kwClass: isBlock, kwClocking: isBlock,
	kwVariable: isVariable,
}

func init() {
	for k := range classes {
		if keyword(k) != kwNone && classes[k] == isName {
			classes[k] = isElse
		}
	}
	classes[kwSigned] = isElse
}

func (k keyword) class() class { return classes[k] }

// end is the keyword that closes the block which k opens.
func (k keyword) end() keyword { return k + 1 }

// reserved is false for words that later standards reserved and that older netlists use as names.
func (k keyword) reserved() bool {
	switch k {
	case kwNone, kwConfig, kwEndconfig, kwPackage, kwEndpackage, kwInterface, kwEndinterface, kwStatic, kwLogic,
		kwProperty, kwEndproperty, kwSequence, kwEndsequence, kwClass, kwEndclass, kwClocking, kwEndclocking, kwAssertion, kwOther:
		return false
	}
	return true
}

// lookup classifies a word. The commonest words of a netlist fail on their first byte or their length.
func lookup(b []byte) keyword {
	if len(b) < 2 || len(b) > 12 || b[0] < 'a' || b[0] > 'x' {
		return kwNone
	}
	switch string(b) {
	case "module", "macromodule":
		return kwModule
	case "endmodule":
		return kwEndmodule
	case "primitive":
		return kwPrimitive
	case "endprimitive":
		return kwEndprimitive
	case "config":
		return kwConfig
	case "endconfig":
		return kwEndconfig
	case "package":
		return kwPackage
	case "endpackage":
		return kwEndpackage
	case "interface":
		return kwInterface
	case "endinterface":
		return kwEndinterface
	case "automatic":
		return kwAutomatic
	case "static":
		return kwStatic
	case "input":
		return kwInput
	case "output":
		return kwOutput
	case "inout":
		return kwInout
	case "wire", "uwire":
		return kwWire
	case "tri":
		return kwTri
	case "wand":
		return kwWand
	case "triand":
		return kwTriand
	case "wor":
		return kwWor
	case "trior":
		return kwTrior
	case "tri0":
		return kwTri0
	case "tri1":
		return kwTri1
	case "trireg":
		return kwTrireg
	case "supply0":
		return kwSupply0
	case "supply1":
		return kwSupply1
	case "reg":
		return kwReg
	case "logic":
		return kwLogic
	case "and":
		return kwAnd
	case "nand":
		return kwNand
	case "or":
		return kwOr
	case "nor":
		return kwNor
	case "xor":
		return kwXor
	case "xnor":
		return kwXnor
	case "buf":
		return kwBuf
	case "not":
		return kwNot
	case "bufif0":
		return kwBufif0
	case "bufif1":
		return kwBufif1
	case "notif0":
		return kwNotif0
	case "notif1":
		return kwNotif1
	case "pullup":
		return kwPullup
	case "pulldown":
		return kwPulldown
	case "tran", "rtran", "tranif0", "tranif1", "rtranif0", "rtranif1", "nmos", "pmos", "rnmos", "rpmos", "cmos", "rcmos":
		return kwSwitch
	case "parameter", "localparam":
		return kwParameter
	case "specparam":
		return kwSpecparam
	case "signed":
		return kwSigned
	case "unsigned":
		return kwUnsigned
	case "vectored":
		return kwVectored
	case "scalared":
		return kwScalared
	case "strong0", "strong1", "pull0", "pull1", "weak0", "weak1", "highz0", "highz1", "small", "medium", "large":
		return kwStrength
	case "assign":
		return kwAssign
	case "defparam":
		return kwDefparam
	case "generate":
		return kwGenerate
	case "endgenerate":
		return kwEndgenerate
	case "always", "initial", "for", "if", "repeat", "forever", "always_ff", "always_comb", "always_latch":
		return kwStatement
	case "final", "assert", "assume", "cover", "restrict":
		return kwAssertion
	case "begin":
		return kwBegin
	case "fork":
		return kwFork
	case "case", "casex", "casez":
		return kwCase
	case "end", "endcase", "join", "join_any", "join_none":
		return kwEnd
	case "else":
		return kwElse
	case "while":
		return kwWhile
	case "disable", "wait":
		return kwDisable
	case "specify":
		return kwSpecify
	case "endspecify":
		return kwEndspecify
	case "table":
		return kwTable
	case "endtable":
		return kwEndtable
	case "function":
		return kwFunction
	case "endfunction":
		return kwEndfunction
	case "task":
		return kwTask
	case "endtask":
		return kwEndtask
	case "property":
		return kwProperty
	case "endproperty":
		return kwEndproperty
	case "sequence":
		return kwSequence
	case "endsequence":
		return kwEndsequence
	case "class":
		return kwClass
	case "endclass":
		return kwEndclass
	case "clocking":
		return kwClocking
	case "endclocking":
		return kwEndclocking
	case "integer", "real", "time", "realtime", "event", "genvar":
		return kwVariable
	case "typedef", "enum", "struct", "union", "import", "export", "alias", "bind", "timeunit", "modport", "let":
		return kwOther
	}
	return kwNone
}
