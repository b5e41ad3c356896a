package project

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/wave"
)

// messages are the texts of a bag, with places and codes, without hints.
func messages(bag *diag.Bag) []string {
	var out []string
	for _, t := range bag.Totals() {
		for _, d := range bag.Kept(t.Code) {
			d.Hint = ""
			out = append(out, d.String())
		}
	}
	return out
}

func TestParseConfig(t *testing.T) {
	t.Setenv("WATTD_TEST_DIR", "/abs")
	dir := filepath.Join("some", "dir")
	path := filepath.Join(dir, "wattd.toml")
	for _, tc := range []struct {
		name, text string
		want       Config // where there are no messages
		msgs       []string
	}{
		{
			name: "paths", text: "format = 1\nnetlist = ['a.v', '$WATTD_TEST_DIR/b.v']\nsdf = ['x.sdf@u1/u2']\ncounts = '-'\nsaif = '../o.saif'\n",
			want: Config{Format: 1, Netlist: []string{filepath.Join(dir, "a.v"), "/abs/b.v"}, SDF: []string{filepath.Join(dir, "x.sdf@u1/u2")}, Counts: "-", SAIF: "some/o.saif"},
		},
		{name: "byte order mark and CRLF", text: "\xef\xbb\xbfformat = 1\r\ncorner = 'max'\r\n", want: Config{Format: 1, Corner: "max"}},
		{name: "keys that begin alike", text: "format = 1\nsaif_ig = 'pulses'\nsaif = 'a'\n", want: Config{Format: 1, SAIFIG: "pulses", SAIF: filepath.Join(dir, "a")}},
		{name: "empty", text: "", msgs: []string{"some/dir/wattd.toml: error: a TOML file is wanted here: the file is empty [source-empty]"}},
		{name: "twice", text: "format = 1\ntop = 'a'\ntop = 'b'\n", msgs: []string{"some/dir/wattd.toml:3:1: error: key top is already defined [config-invalid]"}},
		{name: "a number for a text", text: "format = 1\ntick = 5\n", msgs: []string{"some/dir/wattd.toml:2:8: error: tick takes a text in quotes [config-invalid]"}},
		{name: "a text for a list", text: "format = 1\nlib = 'a'\n", msgs: []string{"some/dir/wattd.toml:2:7: error: lib takes a list of texts in quotes, in brackets [config-invalid]"}},
		{name: "unset", text: "format = 1\n\nvcd = '${WATTD_TEST_NOT_SET}/a'\n", msgs: []string{"some/dir/wattd.toml:3: error: $WATTD_TEST_NOT_SET in vcd is not set in the environment [config-invalid]"}},
		{name: "newer with unknown keys", text: "quantum = 1\nformat = 2\n", msgs: []string{"some/dir/wattd.toml:2: error: format = 2 is newer than this wattd, which reads format 1 [config-invalid]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bag := &diag.Bag{}
			c := parseConfig(path, []byte(tc.text), Around{}, bag)
			if d := cmp.Diff(tc.msgs, messages(bag)); d != "" {
				t.Fatal(d)
			}
			c.places = nil
			if len(tc.msgs) == 0 && !reflect.DeepEqual(*c, tc.want) {
				t.Errorf("got  %+v\nwant %+v", *c, tc.want)
			}
		})
	}
}

func TestLoadConfigIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.toml")
	if err := os.WriteFile(path, []byte("format = 1\n# "+strings.Repeat("x", maxConfig)), 0o644); err != nil {
		t.Fatal(err)
	}
	bag := &diag.Bag{}
	if _, err := LoadConfig(path, bag); err != nil || bag.Count(diag.ProjConfig) != 1 {
		t.Errorf("%v %v", err, messages(bag))
	}
}

// TestConfigTOML holds that what is written is read back, every key included.
func TestConfigTOML(t *testing.T) {
	c := Config{Format: Format}
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		if keyOf(v.Type().Field(i)) == "" || v.Type().Field(i).Name == "Format" {
			continue
		}
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("/" + v.Type().Field(i).Name)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(7)
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"/a", "/b,c"}))
		default:
			t.Fatalf("field of kind %v", f.Kind())
		}
	}
	b, err := c.TOML()
	if err != nil {
		t.Fatal(err)
	}
	bag := &diag.Bag{}
	back := parseConfig("wattd.toml", b, Around{}, bag)
	if len(back.places) != v.NumField()-2 {
		t.Errorf("%d keys have a place, of %d", len(back.places), v.NumField()-2)
	}
	back.places = nil
	if bag.Errors() > 0 || !reflect.DeepEqual(*back, c) {
		t.Errorf("read back %+v\n%v\n%s", *back, messages(bag), b)
	}
}

func TestOverride(t *testing.T) {
	c := Config{Format: 1, Netlist: []string{"a.v"}, Corner: "min", Top: "x", places: map[string]diag.Pos{"corner": {Line: 3}, "top": {Line: 4}}}
	c.Override(&Config{Netlist: []string{"b.v"}, Corner: "max"}, func(flag string) bool { return flag == "netlist" || flag == "corner" || flag == "corner-fallback" })
	want := Config{Format: 1, Netlist: []string{"b.v"}, Corner: "max", Top: "x", places: map[string]diag.Pos{"top": {Line: 4}}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v", c)
	}
}

func TestChoices(t *testing.T) {
	c := Config{
		Tick: "10fs", Corner: "max", CornerFallback: true, Unconditional: "default", PulseReject: "40 %", From: "-5", To: "1.5ps", Cycle: "2ns",
		X: "random:18446744073709551615", Unmapped: "toggle:0.25", Launch: "as-dumped", Glitch: "zero-delay", Windows: "9", Engine: "host",
		SAIFDialect: "opensta", SAIFIG: "pulses", RequireCoverage: "99.5%",
	}
	x, err := c.choices()
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case x.tick.String() != "10fs", x.corner != design.Max, !x.design.CornerFallback, !x.design.KeepConditions, x.design.PulseReject != 40 || !x.design.HasPulseReject:
		t.Errorf("design: %+v", x.design)
	case x.wave.From != -5 || !x.wave.HasFrom, x.wave.To != 150 || !x.wave.HasTo, x.cycle != 200_000, x.wave.X != wave.XRandom, x.wave.XSeed != 1<<64-1:
		t.Errorf("wave: %+v", x.wave)
	case x.wave.Unmapped != wave.UnmappedToggle || x.wave.Toggle != 0.25, !x.zero, x.windows != 9, !x.pulses, x.require != 99.5:
		t.Errorf("%+v", x)
	}
	x, err = (&Config{}).choices()
	if err != nil || x.tick != design.Picosecond || x.corner != design.Typ || x.require >= 0 || x.wave.HasFrom || x.wave.HasTo || x.windows != 0 {
		t.Errorf("defaults: %+v, %v", x, err)
	}
}

func TestSplitMount(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"a.sdf", "a@b.sdf"} {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ arg, file, mount string }{
		{"a.sdf", "a.sdf", ""},
		{"a.sdf@u1", "a.sdf", "u1"},
		{"a.sdf@u1/u@2", "a.sdf", "u1/u@2"},
		{"a.sdf@", "a.sdf", ""},
		{"a@b.sdf", "a@b.sdf", ""},
		{"a@b.sdf@u1", "a@b.sdf", "u1"},
		{"none.sdf@u1", "none.sdf@u1", ""},
		{"d@u1", "d@u1", ""},
		{"@u1", "@u1", ""},
	} {
		file, mount := splitMount(filepath.Join(dir, tc.arg))
		if want := filepath.Join(dir, tc.file); file != want || mount != tc.mount {
			t.Errorf("%s: %s, %q", tc.arg, file, mount)
		}
	}
}

func TestParseTicks(t *testing.T) {
	for _, tc := range []struct {
		s, tick string
		want    int64
		ok      bool
	}{
		{"7", "1ps", 7, true},
		{" 7 ", "1ps", 7, true},
		{"-3", "1ps", -3, true},
		{"1.25ns", "1ps", 1250, true},
		{"1.25ns", "10ps", 125, true},
		{"1.25ns", "100ps", 0, false},
		{"9223372036854775807", "1ps", 0, false},
		{"99999999999999999999", "1ps", 0, false},
		{"1e3ns", "1ps", 1_000_000, true},
		{"1.5", "1ps", 0, false},
		{"", "1ps", 0, false},
		{"ns", "1ps", 0, false},
		{"1 lightyear", "1ps", 0, false},
	} {
		tick, err := design.ParseTick(tc.tick)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := parseTicks(tc.s, tick); (err == nil) != tc.ok || got != tc.want {
			t.Errorf("%q at %s: %d, %v", tc.s, tc.tick, got, err)
		}
	}
}
