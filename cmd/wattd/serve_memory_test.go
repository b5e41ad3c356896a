package main

import "testing"

func TestParseMemory(t *testing.T) {
	for _, c := range []struct {
		text string
		host int64
		want int64
	}{
		{"1", 0, 1},
		{"1000", 0, 1000},
		{"4k", 0, 4 << 10},
		{"512M", 0, 512 << 20},
		{"8G", 5, 8 << 30},
		{"2T", 0, 2 << 40},
		{"40%", 1000, 400},
		{"100%", 1000, 1000},
		{"40%", 0, -1},
		{"none", 1000, -1},
	} {
		if got, err := parseMemory(c.text, c.host); err != nil || got != c.want {
			t.Errorf("%s of %d: %d, %v, want %d", c.text, c.host, got, err, c.want)
		}
	}
	for _, text := range []string{"", "0", "-1", "G", "0%", "101%", "%", "1.5G", "9999999999T", "8 G", "lots"} {
		if got, err := parseMemory(text, 1000); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}
