package project

import (
	"reflect"
	"strings"
)

// Override takes from flags every field whose flag changed says was given. Flags are named after the keys, with dashes.
func (c *Config) Override(flags *Config, changed func(flag string) bool) {
	dst, src := reflect.ValueOf(c).Elem(), reflect.ValueOf(flags).Elem()
	for i := range dst.NumField() {
		key := keyOf(dst.Type().Field(i))
		if key != "" && changed(strings.ReplaceAll(key, "_", "-")) {
			dst.Field(i).Set(src.Field(i))
			delete(c.places, key)
		}
	}
}

// keyOf is the key of a field in wattd.toml, empty where it has none.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	if key == "-" {
		return ""
	}
	return key
}
