package api_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/rpc/api"
)

func TestKinds(t *testing.T) {
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	kinds, codes := map[api.Kind]bool{}, map[int64]bool{}
	for _, k := range api.Kinds() {
		if !kebab.MatchString(string(k.Kind)) || kinds[k.Kind] || codes[k.Code] || k.Code == 0 {
			t.Errorf("%s (%d) is not kebab-case, or there twice", k.Kind, k.Code)
		}
		kinds[k.Kind], codes[k.Code] = true, true
		if k.Cause == "" {
			t.Errorf("%s has no cause", k.Kind)
		}
	}
	// One word means one thing: a kind that is also the code of a diagnostic is that error of the input.
	shared := map[string]bool{"sdf-empty-corner": true, "empty-window": true}
	for _, in := range diag.Table() {
		if kinds[api.Kind(in.Code)] && !shared[string(in.Code)] {
			t.Errorf("%s is a kind of error and the code of a diagnostic", in.Code)
		}
	}
}

func TestMessages(t *testing.T) {
	name := regexp.MustCompile(`^(\$/)?[a-z]+[a-zA-Z]*(/[a-zA-Z]+)?$`)
	seen := map[string]bool{}
	for _, in := range api.Messages() {
		if !name.MatchString(in.Name) || seen[in.Name] || in.Doc == "" {
			t.Errorf("%q: not a name, there twice, or without a text", in.Name)
		}
		seen[in.Name] = true
		if in.Result != nil && in.Result != reflect.TypeFor[api.Empty]() && !strings.HasPrefix(in.Name, "server/") &&
			!strings.HasPrefix(in.Name, "cache/") && in.Name != "initialize" {
			if f, ok := in.Result.FieldByName("Meta"); !ok || f.Tag.Get("json") != "meta" {
				t.Errorf("the result of %s has no meta", in.Name)
			}
		}
		roundTrip(t, in.Params)
		if in.Result != nil {
			roundTrip(t, in.Result)
		}
	}
	if _, ok := api.Lookup("power/report"); ok {
		t.Error("power/report is declared")
	}
}

// roundTrip holds that a type encodes and decodes, also when it is empty.
func roundTrip(t *testing.T, typ reflect.Type) {
	b, err := json.Marshal(reflect.New(typ).Interface())
	if err != nil {
		t.Errorf("%s: %v", typ, err)
		return
	}
	back := reflect.New(typ)
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(back.Interface()); err != nil {
		t.Errorf("%s: %v in %s", typ, err, b)
	}
}

type row struct {
	api.Count
	F  float64  `json:"f"`
	P  *int64   `json:"p"`
	B  bool     `json:"b"`
	Ss []string `json:"ss"`
}

func TestTable(t *testing.T) {
	seven := int64(7)
	in := api.Table[row]{Rows: []row{
		{Count: api.Count{Name: `u1/n[3] "x" \esc` + "\n", N: math.MinInt64}, F: math.NaN(), P: &seven, B: true, Ss: []string{"a"}},
		{Count: api.Count{Name: "plain", N: math.MaxInt64}, F: math.Inf(-1)},
	}, Total: 9, Cursor: `c"1`}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"cols":{"name":["u1/n[3] \"x\" \\esc\n","plain"],"n":[-9223372036854775808,9223372036854775807],"f":[null,null],"p":[7,null],"b":[true,false],"ss":[["a"],null]},"rows":2,"total":9,"cursor":"c\"1"}`
	if diff := cmp.Diff(want, string(b)); diff != "" {
		t.Error(diff)
	}
	var out api.Table[row]
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	in.Rows[1].F = math.NaN()
	if diff := cmp.Diff(in, out, cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })); diff != "" {
		t.Error(diff)
	}
	if b, _ := json.Marshal(api.Table[api.Count]{}); string(b) != `{"cols":{"name":[],"n":[]},"rows":0,"total":0}` {
		t.Errorf("empty: %s", b)
	}
	for _, bad := range []string{
		`{"cols":{"name":["a"]},"rows":2}`, `{"cols":{"name":[1,2]},"rows":2}`, `{"cols":{},"rows":-1}`,
		`{"cols":{},"rows":1000000000000}`, `[]`,
	} {
		if json.Unmarshal([]byte(bad), new(api.Table[api.Count])) == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

func TestErrors(t *testing.T) {
	e := api.Errorf(api.NameNotFound, "no net %q", "x").WithCandidates("xx", "xy")
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back api.Error
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*e, back); diff != "" {
		t.Error(diff)
	}
	if !errors.Is(&back, api.Errorf(api.NameNotFound, "")) || errors.Is(&back, api.Errorf(api.Busy, "")) {
		t.Error("errors.Is does not compare kinds")
	}
	for wire, want := range map[string]api.Kind{
		`{"code":-32601,"message":"m"}`:                          api.MethodNotFound,
		`{"code":-32601,"message":"m","data":"text"}`:            api.MethodNotFound,
		`{"code":77,"message":"m","data":{"other":true}}`:        api.Internal,
		`{"code":77,"message":"m","data":{"kind":"newer-kind"}}`: "newer-kind",
	} {
		if err := json.Unmarshal([]byte(wire), &back); err != nil || back.Kind() != want {
			t.Errorf("%s: %s, %v", wire, back.Kind(), err)
		}
	}
}

func TestPage(t *testing.T) {
	for limit, want := range map[int]int{0: api.DefaultLimit, 5: 5, 1 << 30: api.MaxLimit} {
		if got := (api.Page{Limit: limit}).Rows(); got != want {
			t.Errorf("limit %d: %d rows", limit, got)
		}
	}
	if (api.Page{Limit: -1}).Validate() == nil {
		t.Error("a negative limit is accepted")
	}
}
