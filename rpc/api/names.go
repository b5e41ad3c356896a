package api

// Requests about names.
var (
	NamesResolve = method[NamesResolveParams, NamesResolveResult]("names/resolve", "The objects that names or patterns mean.")
	NamesExplain = method[NamesExplainParams, NamesExplainResult]("names/explain", "What one name means and by which rule, in the netlist and in each file, or why it means nothing.")
	NamesMap     = method[NamesMapParams, NamesMapResult]("names/map", "How the names of a file were bound: which rule, how often, and what was left over.")
)

// Selection chooses objects by name.
type Selection struct {
	Names  []string `json:"names,omitempty"`  // names in any spelling, or globs with * and ?; absent: all
	Regexp bool     `json:"regexp,omitempty"` // names are regular expressions over whole names
	Scope  string   `json:"scope,omitempty"`  // only objects at or below this instance
}

// NamesResolveParams choose objects.
type NamesResolveParams struct {
	Target
	Page
	Selection
	Kind string `json:"kind,omitempty"` // net (default), instance, scope, pin
}

// NamesResolveResult has a row an object.
type NamesResolveResult struct {
	Meta    Meta           `json:"meta"`
	Objects Table[NameRow] `json:"objects"`
}

// NameRow is an object.
type NameRow struct {
	Name string `json:"name"` // in the spelling that was asked for
	Kind string `json:"kind"` // net, instance, scope, pin
	Rule string `json:"rule"` // by which it was found; pattern for globs and regular expressions
	Path string `json:"path"` // file in which it is declared
	Line int    `json:"line"` // line there, from 1
}

// NamesExplainParams name one thing.
type NamesExplainParams struct {
	Target
	Name string `json:"name"`
}

// NamesExplainResult tells all that is known of a name.
type NamesExplainResult struct {
	Meta       Meta           `json:"meta"`
	Findings   Table[NameRow] `json:"findings"`
	Ambiguous  bool           `json:"ambiguous"`            // several objects fit equally well
	Candidates []string       `json:"candidates,omitempty"` // all that fit when ambiguous, the closest names when there is none
	Also       []string       `json:"also,omitempty"`       // other names of the same net
	Class      string         `json:"class,omitempty"`      // class of the net
	Files      []NameInFile   `json:"files,omitempty"`      // what each file says of it
}

// NameInFile is what a file says of an object.
type NameInFile struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"` // from 1
	Name string `json:"name,omitempty"` // as the file spells it; absent: it does not have it
	Text string `json:"text"`           // what was made of it
}

// NamesMapParams choose a file.
type NamesMapParams struct {
	Target
	Page
	Path string `json:"path"` // SDF or dump of the design
}

// NamesMapResult counts the bindings of a file: of an SDF file the instances of its CELL entries, of a dump the variables at or below
// the scope of the design, bit by bit.
type NamesMapResult struct {
	Meta    Meta              `json:"meta"`
	Rules   []Count           `json:"rules"`   // uses of names by the rule that bound them; unbound: those that none did
	Unbound Table[UnboundRow] `json:"unbound"` // names that nothing bound
}

// UnboundRow is a name of a file that the design does not have.
type UnboundRow struct {
	Name    string `json:"name"`
	Line    int    `json:"line"`    // of its first use, from 1
	N       int64  `json:"n"`       // uses
	Closest string `json:"closest"` // name of the design that is nearest, or empty; looked up for the first 20 rows of a page
}
