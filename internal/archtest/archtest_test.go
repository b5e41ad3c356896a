package archtest

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// pkg is what `go list` says of a package.
type pkg struct {
	ImportPath   string
	Name         string
	Dir          string
	Doc          string
	GoFiles      []string
	CgoFiles     []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// rel is the path below the module.
func (p *pkg) rel() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/") }

var packages = sync.OnceValues(func() ([]pkg, error) { return list("-e", "./...") })

func list(args ...string) ([]pkg, error) {
	cmd := exec.Command("go", append([]string{"list", "-json"}, args...)...)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var ps []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	return ps, nil
}

func all(t *testing.T) []pkg {
	t.Helper()
	ps, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	if len(ps) < 5 {
		t.Fatalf("go list found %d packages only", len(ps))
	}
	return ps
}

func TestImports(t *testing.T) {
	for _, p := range all(t) {
		rule, ok := row(p.rel())
		if !ok {
			t.Errorf("%s has no row in the layer table (internal/archtest/rules.go)", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			rel, ours := strings.CutPrefix(imp, module+"/")
			if ours && !allowed(rule, rel) {
				t.Errorf("%s may not import %s: the layer table allows %v", p.rel(), rel, rule)
			}
		}
	}
}

func TestLibrariesHaveOneOwner(t *testing.T) {
	for _, p := range all(t) {
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for lib, owner := range owners {
				if within(imp, lib) && !within(p.rel(), owner) {
					t.Errorf("%s imports %s, which belongs to %s alone", p.rel(), imp, owner)
				}
			}
		}
	}
}

func TestProgramLinksNoTestCode(t *testing.T) {
	ps, err := list("-e", "-deps", "./cmd/...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ps {
		if slices.Contains(notLinked, p.ImportPath) || within(p.rel(), testSupport...) {
			t.Errorf("the program links %s", p.ImportPath)
		}
	}
}

func TestPackagesAreDocumented(t *testing.T) {
	for _, p := range all(t) {
		switch {
		case len(p.GoFiles) == 0: // tests only, or nothing for this platform
		case p.Doc == "":
			t.Errorf("%s has no package comment", p.rel())
		case p.Name != "main" && !strings.HasPrefix(p.Doc, "Package "+p.Name+" "):
			t.Errorf("%s: the package comment does not begin with %q", p.rel(), "Package "+p.Name)
		}
	}
}

func TestNamesSaySomething(t *testing.T) {
	for _, p := range all(t) {
		if slices.Contains(badNames, p.Name) || slices.Contains(badNames, path.Base(p.ImportPath)) {
			t.Errorf("%s: a package is named after what it holds", p.rel())
		}
	}
}

func TestReadersDoNotPanic(t *testing.T) {
	for _, p := range all(t) {
		if !within(p.rel(), readers...) || within(p.rel(), testSupport...) {
			continue
		}
		for _, file := range parse(t, &p, p.GoFiles) {
			if onlyWithInvariants(file.ast) {
				continue
			}
			ast.Inspect(file.ast, func(n ast.Node) bool {
				if fn, ok := n.(*ast.FuncDecl); ok && mayPanic[p.rel()+"."+fn.Name.Name] != "" {
					return false
				}
				if call, ok := n.(*ast.CallExpr); ok {
					if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
						t.Errorf("%s: a reader panics; return a diagnostic, or check it under -tags invariants", file.set.Position(call.Pos()))
					}
				}
				return true
			})
		}
	}
}

func TestGoroutinesAreWatched(t *testing.T) {
	for _, p := range all(t) {
		if within(p.rel(), "cmd", "bench", "examples") {
			continue
		}
		starts := ""
		for _, file := range parse(t, &p, p.GoFiles) {
			ast.Inspect(file.ast, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					starts = file.set.Position(n.Pos()).String()
				case *ast.CallExpr: // sync.WaitGroup and errgroup.Group
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Go" {
						starts = file.set.Position(n.Pos()).String()
					}
				}
				return true
			})
		}
		if starts == "" {
			continue
		}
		watched := false
		for _, file := range parse(t, &p, slices.Concat(p.TestGoFiles, p.XTestGoFiles)) {
			ast.Inspect(file.ast, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "VerifyTestMain" {
					watched = true
				}
				return true
			})
		}
		if !watched {
			t.Errorf("%s starts a goroutine (%s) but its tests have no TestMain with goleak.VerifyTestMain", p.rel(), starts)
		}
	}
}

type source struct {
	set *token.FileSet
	ast *ast.File
}

func parse(t *testing.T, p *pkg, files []string) []source {
	t.Helper()
	var out []source
	for _, f := range files {
		set := token.NewFileSet()
		a, err := parser.ParseFile(set, filepath.Join(p.Dir, f), nil, parser.ParseComments)
		if err != nil {
			t.Errorf("%s: %v", p.rel(), err)
			continue
		}
		out = append(out, source{set, a})
	}
	return out
}

// onlyWithInvariants says whether a file is compiled under -tags invariants alone.
func onlyWithInvariants(f *ast.File) bool {
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		for _, c := range g.List {
			if e, err := constraint.Parse(c.Text); err == nil {
				return !e.Eval(func(tag string) bool { return tag != "invariants" })
			}
		}
	}
	return false
}

// TestRules holds the rules themselves: a table that allowed everything would pass all of the above.
func TestRules(t *testing.T) {
	for _, tc := range []struct {
		from, to string
		want     bool
	}{
		{"cmd/wattd", "internal/project", true},
		{"cmd/wattd", "internal/simtest", false},
		{"internal/format/verilog", "internal/format/scan", true},
		{"internal/format/verilog", "internal/format/sdf", false},
		{"internal/netlist", "internal/format/liberty", true},
		{"internal/netlist", "internal/design", false},
		{"kernel/host", "kernel", true},
		{"kernel/host", "internal/netlist", false},
		{"internal/sim/observe", "kernel", true},
		{"internal/simtest", "internal/sim", false},
	} {
		rule, ok := row(tc.from)
		if !ok || allowed(rule, tc.to) != tc.want {
			t.Errorf("%s importing %s: allowed %v, want %v", tc.from, tc.to, !tc.want, tc.want)
		}
	}
	if _, ok := row("internal/unheard"); ok {
		t.Error("a package without a row has a rule")
	}
	if !within("a/b", "a") || within("ab", "a") {
		t.Error("within compares by folder")
	}
}

// TestCodesAreUsed fails on a row of the diagnostics tables that nothing emits, and on a constant without a row.
func TestCodesAreUsed(t *testing.T) {
	declared := map[string]token.Position{} // constant name
	used := map[string]bool{}
	for _, p := range all(t) {
		for _, file := range parse(t, &p, p.GoFiles) {
			if p.rel() == "internal/diag" {
				rows := map[string]bool{}
				ast.Inspect(file.ast, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.ValueSpec:
						if id, ok := n.Type.(*ast.Ident); ok && id.Name == "Code" {
							for _, name := range n.Names {
								declared[name.Name] = file.set.Position(name.Pos())
							}
							return false
						}
					case *ast.Ident:
						rows[n.Name] = true
					}
					return true
				})
				for name, at := range declared {
					if at.Filename == file.set.Position(file.ast.Pos()).Filename && !rows[name] {
						t.Errorf("%s: %s has no row in the table", at, name)
					}
				}
				continue
			}
			ast.Inspect(file.ast, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if id, ok := sel.X.(*ast.Ident); ok && id.Name == "diag" {
						used[sel.Sel.Name] = true
					}
				}
				return true
			})
		}
	}
	for name, at := range declared {
		if !used[name] {
			t.Errorf("%s: nothing emits %s", at, name)
		}
	}
}

// TestInvariantsNameTheirTests reads docs/architecture.md: every "Invariant:" paragraph names tests, by package, that exist.
func TestInvariantsNameTheirTests(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, p := range all(t) {
		for _, file := range parse(t, &p, slices.Concat(p.TestGoFiles, p.XTestGoFiles)) {
			for _, d := range file.ast.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
					tests[p.rel()+" "+fn.Name.Name] = true
				}
			}
		}
	}
	word := regexp.MustCompile("`([a-z/]+)`|\\b((?:Test|Fuzz)[A-Za-z0-9]+)")
	found := 0
	for _, para := range strings.Split(string(text), "\n\n") {
		if !strings.HasPrefix(para, "Invariant:") {
			continue
		}
		found++
		in, named := "", 0
		for _, m := range word.FindAllStringSubmatch(para, -1) {
			if m[1] != "" {
				in = m[1]
				continue
			}
			named++
			if !tests[in+" "+m[2]] {
				t.Errorf("docs/architecture.md names %s in %s, which is not there", m[2], in)
			}
		}
		if named == 0 {
			t.Errorf("no test is named in: %.80s", para)
		}
	}
	if found < 5 {
		t.Errorf("%d invariants found", found)
	}
}
