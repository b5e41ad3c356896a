package project

import (
	"reflect"
	"strings"
)

// Override takes from flags every field whose flag changed says was given. Flags are named after the keys, with dashes.
func (c *Config) Override(flags *Config, changed func(flag string) bool) {
	dst, src := reflect.ValueOf(c).Elem(), reflect.ValueOf(flags).Elem()
	for i := range dst.NumField() {
		key, _, _ := strings.Cut(dst.Type().Field(i).Tag.Get("toml"), ",")
		if changed(strings.ReplaceAll(key, "_", "-")) {
			dst.Field(i).Set(src.Field(i))
		}
	}
}
