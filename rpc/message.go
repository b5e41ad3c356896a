package rpc

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/wattd/wattd/rpc/api"
)

// message is one JSON-RPC message, cut into its members. The bytes are those that came: nothing is decoded twice, the order of
// keys and the digits of numbers stay.
type message struct {
	id      json.RawMessage // nil: a notification
	method  string
	params  json.RawMessage
	result  json.RawMessage
	failure json.RawMessage // member "error"
	batch   *batch          // that the answer belongs to
}

func (m *message) isRequest() bool { return m.method != "" }

// key is the id as key of a map: 1 and "1" are two ids, "a" and "\u0061" are one.
func key(id json.RawMessage) string {
	if len(id) > 0 && id[0] == '"' {
		var s string
		if json.Unmarshal(id, &s) == nil {
			return `"` + s
		}
	}
	return string(id)
}

// null stands for an id that could not be found out.
var null = json.RawMessage("null")

// fault is a message that is answered without being carried out. No id: it must not be answered.
type fault struct {
	id  json.RawMessage
	err *api.Error
}

// parse cuts a message. JSON that is an array yields its elements; the elements stay valid JSON.
func parse(data []byte) (m message, elements []json.RawMessage, f *fault) {
	data = bytes.Trim(data, " \t\r\n")
	switch {
	case !utf8.Valid(data):
		return m, nil, &fault{null, api.Errorf(api.ParseError, "the message is not UTF-8")}
	case !json.Valid(data):
		return m, nil, &fault{null, api.Errorf(api.ParseError, "the message is not JSON: %s", whyInvalid(data))}
	case data[0] == '[':
		eachElement(data, func(e json.RawMessage) { elements = append(elements, e) })
		if len(elements) == 0 {
			return m, nil, &fault{null, api.Errorf(api.InvalidRequest, "the batch is empty")}
		}
		return m, elements, nil
	}
	m, f = parseObject(data)
	return m, nil, f
}

func whyInvalid(data []byte) string {
	var v json.RawMessage
	if err := json.Unmarshal(data, &v); err != nil {
		return err.Error()
	}
	return "invalid"
}

// parseObject cuts valid JSON into the members of a message and checks that they are one.
func parseObject(data []byte) (m message, f *fault) {
	invalid := func(id json.RawMessage, format string, args ...any) (message, *fault) {
		return m, &fault{id, api.Errorf(api.InvalidRequest, format, args...)}
	}
	if data[0] != '{' {
		return invalid(null, "a message is an object")
	}
	var version, method json.RawMessage
	twice := ""
	eachMember(data, func(name string, value json.RawMessage) {
		at := map[string]*json.RawMessage{
			"jsonrpc": &version, "id": &m.id, "method": &method, "params": &m.params, "result": &m.result, "error": &m.failure,
		}[name]
		switch {
		case at == nil: // members that JSON-RPC does not know are for others
		case *at != nil:
			twice = name
		default:
			*at = value
		}
	})
	id := m.id
	if id == nil || !validID(id) {
		id = null
	}
	answer := method == nil && (m.result != nil || m.failure != nil)
	switch {
	case answer && (twice != "" || !validID(m.id) || string(version) != `"2.0"` || m.result != nil && m.failure != nil && string(m.failure) != "null"):
		// an answer to an answer would go back and forth for ever
		return m, &fault{nil, api.Errorf(api.InvalidRequest, "an answer that is none: %.100s", data)}
	case answer:
		return m, nil
	case twice != "":
		return invalid(id, "member %q is there twice", twice)
	case string(version) != `"2.0"`:
		return invalid(id, `"jsonrpc":"2.0" is missing`)
	case method == nil:
		return invalid(id, "there is no method")
	case m.id != nil && !validID(m.id):
		return invalid(null, "the id %.40s is neither a string nor an integer from 0", m.id)
	case json.Unmarshal(method, &m.method) != nil || m.method == "":
		m.method = ""
		return invalid(id, "the method is not a string, or empty")
	case m.params != nil && m.params[0] != '{' && m.params[0] != '[' && string(m.params) != "null":
		m.method = ""
		return invalid(id, "params are neither an object nor an array")
	}
	if string(m.params) == "null" {
		m.params = nil
	}
	return m, nil
}

// validID takes strings and integers from 0 without fraction or exponent, as large as every peer can hold.
func validID(id json.RawMessage) bool {
	if len(id) == 0 {
		return false
	}
	if id[0] == '"' {
		return len(id) <= 1024
	}
	_, err := strconv.ParseUint(string(id), 10, 63)
	return err == nil
}

// stub is what jsonrpc2 gets to see of a message: who is meant and whether it is an answer. Params and results go past it,
// because it would decode, sort and encode them again.
func (m *message) stub() []byte {
	b := []byte(`{"jsonrpc":"2.0"`)
	if m.id != nil {
		b = append(append(b, `,"id":`...), m.id...)
	}
	switch {
	case m.isRequest():
		return append(b, `,"method":"m"}`...)
	case m.failure != nil && string(m.failure) != "null":
		return append(b, `,"error":{"code":0,"message":""}}`...)
	}
	return append(b, `,"result":null}`...)
}

// eachMember visits the members of an object that is valid JSON.
func eachMember(data []byte, visit func(name string, value json.RawMessage)) {
	i := skipSpace(data, 1)
	for data[i] != '}' {
		end := skipValue(data, i)
		name := string(data[i+1 : end-1])
		if bytes.IndexByte(data[i:end], '\\') >= 0 {
			_ = json.Unmarshal(data[i:end], &name) // valid, as data is
		}
		i = skipSpace(data, end)
		i = skipSpace(data, i+1) // colon
		end = skipValue(data, i)
		visit(name, json.RawMessage(data[i:end:end]))
		if i = skipSpace(data, end); data[i] == ',' {
			i = skipSpace(data, i+1)
		}
	}
}

// eachElement visits the elements of an array that is valid JSON.
func eachElement(data []byte, visit func(json.RawMessage)) {
	i := skipSpace(data, 1)
	for data[i] != ']' {
		end := skipValue(data, i)
		visit(json.RawMessage(data[i:end:end]))
		if i = skipSpace(data, end); data[i] == ',' {
			i = skipSpace(data, i+1)
		}
	}
}

func skipSpace(data []byte, i int) int {
	for data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r' {
		i++
	}
	return i
}

// skipValue returns the end of the value that begins at i.
func skipValue(data []byte, i int) int {
	depth := 0
	for {
		switch data[i] {
		case '"':
			for i++; data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
			i++
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
		default:
			for i < len(data) && !bytes.ContainsRune([]byte(",:]} \t\r\n"), rune(data[i])) {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
}
