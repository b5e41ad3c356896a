package api

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Table is rows of type R, a struct, on the wire as columns: {"cols":{"net":[...],"tc":[...]},"rows":2,"total":2}. A field of R is
// a column; its json tag is the name. A float that is not finite, like a nil pointer, is null.
type Table[R any] struct {
	Rows   []R
	Total  int64  // rows of all pages; -1: not known
	Cursor string // of the next page; "" on the last one
}

type column struct {
	name  string
	index []int
}

// columns lists the columns of a row type, those of embedded structs in their place.
func columns(t reflect.Type) []column {
	var out []column
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for _, c := range columns(f.Type) {
				out = append(out, column{c.name, append([]int{i}, c.index...)})
			}
			continue
		}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			out = append(out, column{name, f.Index})
		}
	}
	return out
}

// MarshalJSON writes the columns in the order of the fields.
func (t Table[R]) MarshalJSON() ([]byte, error) {
	rows := reflect.ValueOf(t.Rows)
	b := append(make([]byte, 0, 64+32*len(t.Rows)), `{"cols":{`...)
	for i, c := range columns(reflect.TypeFor[R]()) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, c.name)
		b = append(b, ':', '[')
		for r := range len(t.Rows) {
			if r > 0 {
				b = append(b, ',')
			}
			var err error
			if b, err = appendCell(b, rows.Index(r).FieldByIndex(c.index)); err != nil {
				return nil, fmt.Errorf("column %s: %w", c.name, err)
			}
		}
		b = append(b, ']')
	}
	b = fmt.Appendf(b, `},"rows":%d,"total":%d`, len(t.Rows), t.Total)
	if t.Cursor != "" {
		cursor, err := json.Marshal(t.Cursor)
		if err != nil {
			return nil, err
		}
		b = append(append(b, `,"cursor":`...), cursor...)
	}
	return append(b, '}'), nil
}

func appendCell(b []byte, v reflect.Value) ([]byte, error) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, "null"...), nil
		}
		return appendCell(b, v.Elem())
	case reflect.Int, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), nil
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return append(b, "null"...), nil
		}
	case reflect.String:
		if s := v.String(); plain(s) {
			return append(append(append(b, '"'), s...), '"'), nil
		}
	}
	x, err := json.Marshal(v.Interface())
	return append(b, x...), err
}

// plain says that a string needs no escape in JSON, which holds for nearly all names.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// UnmarshalJSON fills the rows. Columns that R does not have are passed over: a newer server may send more.
func (t *Table[R]) UnmarshalJSON(b []byte) error {
	var w struct {
		Cols   map[string]json.RawMessage `json:"cols"`
		Rows   int                        `json:"rows"`
		Total  int64                      `json:"total"`
		Cursor string                     `json:"cursor"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	// A row costs at least two bytes in some column, so that a count alone makes nobody allocate.
	if w.Rows < 0 || w.Rows > len(b) {
		return fmt.Errorf("table of %d rows in %d bytes", w.Rows, len(b))
	}
	*t = Table[R]{Rows: make([]R, w.Rows), Total: w.Total, Cursor: w.Cursor}
	rows := reflect.ValueOf(t.Rows)
	typ := reflect.TypeFor[R]()
	for _, c := range columns(typ) {
		raw, ok := w.Cols[c.name]
		if !ok {
			continue
		}
		cell := typ.FieldByIndex(c.index).Type
		col := reflect.New(reflect.SliceOf(cell))
		// null in a column of plain numbers is the server's word for a float that is not finite
		if cell.Kind() == reflect.Float64 {
			var ptrs []*float64
			if err := json.Unmarshal(raw, &ptrs); err != nil {
				return fmt.Errorf("column %s: %w", c.name, err)
			}
			floats := make([]float64, len(ptrs))
			for i, p := range ptrs {
				if floats[i] = math.NaN(); p != nil {
					floats[i] = *p
				}
			}
			col.Elem().Set(reflect.ValueOf(floats).Convert(col.Elem().Type()))
		} else if err := json.Unmarshal(raw, col.Interface()); err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
		if n := col.Elem().Len(); n != w.Rows {
			return fmt.Errorf("column %s has %d of %d rows", c.name, n, w.Rows)
		}
		for r := range w.Rows {
			rows.Index(r).FieldByIndex(c.index).Set(col.Elem().Index(r))
		}
	}
	return nil
}
