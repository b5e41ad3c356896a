package project

import (
	"bytes"
	"fmt"

	"github.com/pelletier/go-toml/v2"
)

// TOML is the text of a wattd.toml with these values.
func (c *Config) TOML() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# wattd.toml: what `wattd run` reads. Paths are relative to this file; $VAR is expanded.\n")
	e := toml.NewEncoder(&b)
	e.SetArraysMultiline(false)
	if err := e.Encode(c); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
