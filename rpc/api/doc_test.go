package api_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/wattd/wattd/daemon"
	"github.com/wattd/wattd/rpc/api"
)

var update = flag.Bool("update", false, "rewrite docs/protocol.md")

func TestDocumentIsCurrent(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "protocol.md")
	want := newDocument(t).render()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/protocol.md is not what package api declares; run `make generate`")
	}
}

// document renders the protocol: reflection gives the types, the source gives the comments.
type document struct {
	bytes.Buffer
	t      *testing.T
	types  map[string]string // comment by type
	fields map[string]string // comment by type.field
	groups []group
	queue  []reflect.Type // types to describe
	hello  api.Native     // what the server of this version says that it has
	seen   map[reflect.Type]bool
}

// group is a file of package api that declares messages.
type group struct {
	title string
	names []string // of variables, in order
}

const preamble = `# Protocol

Generated from the declarations in rpc/api by ` + "`make generate`" + `; do not edit.

JSON-RPC 2.0, version %d.%d of the protocol, over a Unix socket, over stdio (` + "`wattd connect --stdio`" + `), and, only when asked, over
loopback TCP with a token.

**Framing.** The first byte of a connection tells: a message a line (` + "`{...}` or `[...]`, then a newline), or each behind a\n`Content-Length` header as in LSP" + `. Headers are read without regard to case, with CRLF or LF. Answers have the framing of the
questions. Text is UTF-8. What cannot be read is answered with ` + "`id: null`" + ` and the connection goes on. Batches are taken.

**TCP.** ` + "A server listens there only when it was started with `wattd serve --tcp ADDRESS`, and on the loopback alone. The first line of such a" + `
connection is ` + "`WATTD-TOKEN TOKEN`" + `, ended by a newline, before any message and within five seconds; TOKEN has 64 hexadecimal digits and is in a file
of mode 0600, whose path, like the address, is in ` + "`server/status`" + `. Each server makes another one. Nothing else is read before that line, and who
does not send it is told ` + "`not-authorized`" + ` (or, in HTTP, 403) and hung up on. HTTP is refused on every transport: browsers are not served.

**Sockets.** The folder is ` + "`$WATTD_RUNTIME_DIR`, else `$XDG_RUNTIME_DIR/wattd`, else `/tmp/wattd-UID`" + `, of mode 0700. In it are ` + "`pMAJOR-HOST.sock`" + `, the
socket of this protocol, and ` + "`pMAJOR-HOST.admin`" + `, an HTTP server with the profiles of the Go runtime under ` + "`/debug/pprof/`" + ` and nothing else:
` + "`curl --unix-socket SOCKET -o heap.pb.gz http://wattd/debug/pprof/heap`" + `. Both are of mode 0600 and serve the same user only.

**Versions.** ` + "`initialize`" + ` tells the versions of both ends. Another major of the protocol is refused, ` + "`version-mismatch`" + `, by a message that names both.
A client that may start servers asks one of an older version, which holds no design and has no other client, to leave, and starts its own;
otherwise it goes on with the one that is there.

**Ids** are strings or integers from 0, and each is in use once at a time. Answers come in any order.

**Order.** A request sees all that arrived on its connection before it: files announced, overlays edited. Its snapshot is that
of its arrival. A request may be cancelled while it waits and while it runs.

**Names** come back in the user's spelling. **Times** are integers in ticks; ` + "`meta.tick`" + ` says what one is. Intervals do not contain
their end. NaN and infinity do not appear: a number that has no value is null, and its comment says why.

**Tables** are columns: ` + "`{\"cols\":{\"net\":[\"a\",\"b\"],\"tc\":[3,1]},\"rows\":2,\"total\":2}`" + `. A page that is not the last has a ` + "`cursor`" + `
for the next; ` + "`total`" + ` counts the rows of all pages, -1 when it is not known.

**Fields.** Those marked with ? may be absent, which means false, 0 or empty. Params that a method does not know are an
error. Clients must pass over fields that they do not know: a minor version adds some.

**Not in this version** stands at what is declared, so that names and types are settled, and not there yet: such a request is answered
by the error ` + "`method-not-found`" + `, such a notification does not come. ` + "`initialize`" + ` lists the methods and topics that a server has.

**Tcl.** With ` + "`wattd connect --stdio --format tcl`" + ` a request is a line with a Tcl list, ` + "`METHOD PARAMS`" + `, PARAMS a dict of the fields
below; the answer is a line with a Tcl list, ` + "`ok RESULT` or `error DATA`" + `, DATA a dict with kind, code and message. Objects are dicts,
arrays are lists, true and false are 1 and 0, null is the empty string. Subscriptions are not for Tcl.

`

func newDocument(t *testing.T) *document {
	d := &document{t: t, types: map[string]string{}, fields: map[string]string{}, seen: map[reflect.Type]bool{}}
	set := token.NewFileSet()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		a, err := parser.ParseFile(set, f, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range a.Decls {
			if g, ok := decl.(*ast.GenDecl); ok {
				d.declaration(g)
			}
		}
	}
	cl, hello, err := daemon.InProcess(context.Background(), daemon.Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	cl.Close()
	d.hello = hello.Capabilities.Experimental.Wattd
	order := []string{"initialize", "design/open", "stimulus/load", "names/resolve", "sim/run", "net/activity", "diff/run", "subscribe", "export/saif", "server/status"}
	slices.SortFunc(d.groups, func(a, b group) int { return slices.Index(order, a.names[0]) - slices.Index(order, b.names[0]) })
	return d
}

func (d *document) declaration(g *ast.GenDecl) {
	var names []string
	for _, spec := range g.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			d.types[s.Name.Name] = flow(g.Doc.Text())
			if st, ok := s.Type.(*ast.StructType); ok {
				for _, f := range st.Fields.List {
					for _, n := range f.Names {
						d.fields[s.Name.Name+"."+n.Name] = flow(f.Comment.Text())
					}
				}
			}
		case *ast.ValueSpec:
			if len(s.Values) != 1 {
				continue
			}
			call, ok := s.Values[0].(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				continue
			}
			if lit, ok := call.Args[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				names = append(names, strings.Trim(lit.Value, `"`))
			}
		}
	}
	if names != nil {
		d.groups = append(d.groups, group{flow(g.Doc.Text()), names})
	}
}

func flow(s string) string { return strings.Join(strings.Fields(s), " ") }

func (d *document) render() []byte {
	fmt.Fprintf(d, preamble, api.Protocol.Major, api.Protocol.Minor)
	d.WriteString("## Every request and every result\n\n")
	for _, t := range []reflect.Type{reflect.TypeFor[api.Call](), reflect.TypeFor[api.Target](), reflect.TypeFor[api.Source](), reflect.TypeFor[api.Page](), reflect.TypeFor[api.Selection](), reflect.TypeFor[api.Meta]()} {
		d.describe(t, "### "+t.Name())
	}
	listed := 0
	for _, g := range d.groups {
		fmt.Fprintf(d, "## %s\n\n", heading(g.title))
		for _, name := range g.names {
			in, ok := api.Lookup(name)
			if !ok {
				d.t.Errorf("%s is declared and not registered", name)
				continue
			}
			listed++
			d.message(in)
		}
	}
	if n := len(api.Messages()); n != listed {
		d.t.Errorf("%d of %d messages are in the document", listed, n)
	}
	d.WriteString("## Types\n\n")
	for len(d.queue) > 0 {
		slices.SortFunc(d.queue, func(a, b reflect.Type) int { return strings.Compare(a.Name(), b.Name()) })
		now := d.queue
		d.queue = nil
		for _, t := range now {
			d.describe(t, "### "+t.Name())
		}
	}
	d.WriteString("## Errors\n\nAn error has `code`, `message` and `data` (ErrorData). The kind is stable, as is the code.\n\n")
	d.describe(reflect.TypeFor[api.ErrorData](), "### ErrorData")
	d.WriteString("| kind | code | cause | cure |\n|---|---|---|---|\n")
	for _, k := range api.Kinds() {
		fmt.Fprintf(d, "| `%s` | %d | %s | %s |\n", k.Kind, k.Code, k.Cause, k.Cure)
	}
	return d.Bytes()
}

// heading is the first sentence of a comment without its stop.
func heading(s string) string {
	if i := strings.Index(s, ". "); i > 0 {
		s = s[:i]
	}
	return strings.TrimSuffix(s, ".")
}

func (d *document) message(in api.Info) {
	fmt.Fprintf(d, "### %s\n\n", in.Name)
	switch in.Shape {
	case api.FromClient:
		d.WriteString("*Notification to the server.* ")
	case api.FromServer:
		d.WriteString("*Notification to the client.* ")
	}
	if !d.has(in) {
		d.WriteString("**Not in this version.** ")
	}
	fmt.Fprintf(d, "%s\n\n", in.Doc)
	d.part("params", in.Params)
	if in.Result != nil {
		d.part("result", in.Result)
	}
}

// has says whether the server answers a request, or sends a notification, as it tells itself.
func (d *document) has(in api.Info) bool {
	if in.Shape == api.Request {
		return slices.Contains(d.hello.Methods, in.Name)
	}
	topic, isUpdate := strings.CutSuffix(in.Name, "/didUpdate")
	return !isUpdate || slices.Contains(d.hello.Topics, topic)
}

func (d *document) part(what string, t reflect.Type) {
	switch {
	case t == reflect.TypeFor[api.Empty]():
		fmt.Fprintf(d, "%s: none\n\n", what)
	default:
		d.describe(t, "**"+what+"** "+t.Name())
	}
}

// common are described once; a message that takes them only names them.
var common = []reflect.Type{reflect.TypeFor[api.Call](), reflect.TypeFor[api.Target](), reflect.TypeFor[api.Source](), reflect.TypeFor[api.Page](), reflect.TypeFor[api.Selection]()}

func (d *document) describe(t reflect.Type, title string) {
	d.seen[t] = true
	fmt.Fprintf(d, "%s", title)
	if doc := d.types[t.Name()]; doc != "" && strings.HasPrefix(title, "#") {
		fmt.Fprintf(d, "\n\n%s", doc)
	}
	var rows bytes.Buffer
	also := d.rows(&rows, t, slices.Contains(common, t))
	if len(also) > 0 {
		fmt.Fprintf(d, "\n\nand the fields of %s", strings.Join(also, ", "))
	}
	d.WriteString("\n\n")
	if rows.Len() > 0 {
		fmt.Fprintf(d, "| field | type | |\n|---|---|---|\n%s\n", rows.Bytes())
	}
}

func (d *document) rows(w *bytes.Buffer, t reflect.Type, isCommon bool) (also []string) {
	for f := range fieldsOf(t) {
		if f.Anonymous {
			if slices.Contains(common, f.Type) {
				also = append(also, f.Type.Name())
			} else {
				also = append(also, d.rows(w, f.Type, isCommon)...)
			}
			continue
		}
		name, opt, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			d.t.Errorf("%s.%s has no json tag", t.Name(), f.Name)
		}
		if opt != "" {
			name += "?"
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", name, d.typeName(f.Type), strings.ReplaceAll(d.fields[t.Name()+"."+f.Name], "|", "\\|"))
	}
	return also
}

func fieldsOf(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

func (d *document) typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return d.typeName(t.Elem()) + " or null"
	case reflect.Map:
		return "object of " + d.typeName(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "string or integer"
		}
		return "array of " + d.typeName(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Float64:
		return "number"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Struct:
		if f, ok := t.FieldByName("Rows"); ok && strings.HasPrefix(t.Name(), "Table[") {
			return "table of " + d.typeName(f.Type.Elem())
		}
		if t.Name() == "" {
			var parts []string
			for f := range fieldsOf(t) {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				parts = append(parts, name+": "+d.typeName(f.Type))
			}
			return "{" + strings.Join(parts, ", ") + "}"
		}
		if !d.seen[t] {
			d.seen[t] = true
			d.queue = append(d.queue, t)
		}
		return t.Name()
	}
	d.t.Errorf("%s has no name in the document", t)
	return t.String()
}
