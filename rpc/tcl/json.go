package tcl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds the nesting of values: each level is quoted again.
const maxDepth = 64

// FromJSON writes a JSON value as a Tcl value. It is an element of no list yet: see List.
func FromJSON(data []byte) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := value(dec, 0)
	if err != nil {
		return "", err
	}
	if _, err := dec.Token(); err != io.EOF {
		return "", errors.New("more than one JSON value")
	}
	return string(v), nil
}

func value(dec *json.Decoder, depth int) ([]byte, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if depth == maxDepth {
			return nil, fmt.Errorf("JSON is nested deeper than %d", maxDepth)
		}
		var b []byte
		for dec.More() { // an object yields its keys and values in turn
			if len(b) > 0 {
				b = append(b, ' ')
			}
			e, err := value(dec, depth+1)
			if err != nil {
				return nil, err
			}
			b = appendElement(b, string(e))
		}
		_, err := dec.Token()
		return b, err
	case string:
		return []byte(t), nil
	case json.Number:
		return []byte(t), nil
	case bool:
		if t {
			return []byte("1"), nil
		}
		return []byte("0"), nil
	}
	return nil, nil // null
}

// ToJSON reads a Tcl value as JSON for a Go type. A dict for a struct has the names of the JSON; one that the struct does not
// have is an error.
func ToJSON(v string, t reflect.Type) ([]byte, error) { return toJSON(v, t, 0) }

var rawMessage = reflect.TypeFor[json.RawMessage]()

func toJSON(v string, t reflect.Type, depth int) ([]byte, error) {
	if depth == maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	if t == rawMessage {
		if _, err := strconv.ParseInt(v, 10, 64); err == nil {
			return json.Marshal(json.Number(v))
		}
		return text(v)
	}
	trimmed := strings.TrimSpace(v)
	switch t.Kind() {
	case reflect.Pointer:
		if v == "" && t.Elem().Kind() != reflect.String {
			return []byte("null"), nil
		}
		return toJSON(v, t.Elem(), depth)
	case reflect.String:
		return text(v)
	case reflect.Bool:
		b, err := boolean(trimmed)
		return strconv.AppendBool(nil, b), err
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(trimmed, 10, t.Bits())
		if err != nil {
			return nil, fmt.Errorf("%.40q is not an integer", v)
		}
		return strconv.AppendInt(nil, n, 10), nil
	case reflect.Float64:
		f, err := strconv.ParseFloat(trimmed, 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, fmt.Errorf("%.40q is not a number", v)
		}
		return json.Marshal(f)
	case reflect.Slice:
		return array(v, t, depth)
	case reflect.Struct, reflect.Map:
		return object(v, t, depth)
	}
	return nil, fmt.Errorf("a %s cannot be written in Tcl", t)
}

func text(v string) ([]byte, error) {
	if !utf8.ValidString(v) {
		return nil, fmt.Errorf("%.40q is not UTF-8", v)
	}
	return json.Marshal(v)
}

// boolean takes what Tcl takes for one.
func boolean(v string) (bool, error) {
	switch strings.ToLower(v) {
	case "1", "true", "yes", "on":
		return true, nil
	case "0", "false", "no", "off":
		return false, nil
	}
	return false, fmt.Errorf("%.40q is not a boolean", v)
}

func array(v string, t reflect.Type, depth int) ([]byte, error) {
	elements, err := Split(v)
	if err != nil {
		return nil, err
	}
	b := []byte{'['}
	for i, e := range elements {
		if i > 0 {
			b = append(b, ',')
		}
		x, err := toJSON(e, t.Elem(), depth+1)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		b = append(b, x...)
	}
	return append(b, ']'), nil
}

func object(v string, t reflect.Type, depth int) ([]byte, error) {
	elements, err := Split(v)
	switch {
	case err != nil:
		return nil, err
	case len(elements)%2 != 0:
		return nil, fmt.Errorf("a dict has an even number of elements, not %d", len(elements))
	}
	b := []byte{'{'}
	seen := map[string]bool{}
	for i := 0; i < len(elements); i += 2 {
		name := elements[i]
		if seen[name] {
			return nil, fmt.Errorf("%q is there twice", name)
		}
		seen[name] = true
		var ft reflect.Type
		if t.Kind() == reflect.Map {
			ft = t.Elem()
		} else if ft = member(t, name); ft == nil {
			return nil, fmt.Errorf("there is no %q", name)
		}
		x, err := toJSON(elements[i+1], ft, depth+1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		key, err := text(name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, key...), ':'), x...)
	}
	return append(b, '}'), nil
}

// member finds the type of a field by its JSON name, in embedded structs too.
func member(t reflect.Type, name string) reflect.Type {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			if ft := member(f.Type, name); ft != nil {
				return ft
			}
			continue
		}
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name && tag != "-" && tag != "" {
			return f.Type
		}
	}
	return nil
}
