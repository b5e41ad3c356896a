package api

import (
	"cmp"
	"reflect"
	"slices"
)

//go:generate go test -run TestDocumentIsCurrent . -update

// Version is the version of the protocol. Peers of different majors refuse each other; a minor only adds.
type Version struct {
	Major int `json:"major"` // changes when something is removed or means something else
	Minor int `json:"minor"` // changes when something is added
}

// Protocol is the version that this package describes.
var Protocol = Version{Major: 1, Minor: 0}

// Method is a request with params P and result R. It ties a name to its types, so that a server cannot register a handler, nor
// a client make a call, of other types.
type Method[P, R any] struct{ name string }

// Name is the name on the wire.
func (m Method[P, R]) Name() string { return m.name }

// Note is a notification with params P: a message without an answer.
type Note[P any] struct{ name string }

// Name is the name on the wire.
func (n Note[P]) Name() string { return n.name }

// Shape is the direction of a message, and whether it is answered.
type Shape uint8

// The shapes of messages.
const (
	Request    Shape = iota // from client to server, answered
	FromClient              // a notification to the server
	FromServer              // a notification to the client
)

// Info describes a message: one entry of docs/protocol.md.
type Info struct {
	Name   string
	Doc    string
	Shape  Shape
	Params reflect.Type
	Result reflect.Type // nil for notifications
	// InOrder: applied when it arrives, before anything that arrived later takes its snapshot.
	InOrder bool
	// Lenient: params that this version does not know are passed over, because other protocols define them.
	Lenient bool
}

var registry []Info

type trait uint8

const (
	inOrder trait = 1 << iota
	lenient
)

func method[P, R any](name, doc string, traits ...trait) Method[P, R] {
	add(Info{Name: name, Doc: doc, Shape: Request, Params: reflect.TypeFor[P](), Result: reflect.TypeFor[R]()}, traits)
	return Method[P, R]{name}
}

func note[P any](name string, shape Shape, doc string, traits ...trait) Note[P] {
	add(Info{Name: name, Doc: doc, Shape: shape, Params: reflect.TypeFor[P]()}, traits)
	return Note[P]{name}
}

func add(in Info, traits []trait) {
	for _, t := range traits {
		in.InOrder = in.InOrder || t == inOrder
		in.Lenient = in.Lenient || t == lenient
	}
	registry = append(registry, in)
}

// Messages lists all requests and notifications by name.
func Messages() []Info {
	all := slices.Clone(registry)
	slices.SortFunc(all, func(a, b Info) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Lookup finds a message.
func Lookup(name string) (Info, bool) {
	i := slices.IndexFunc(registry, func(in Info) bool { return in.Name == name })
	if i < 0 {
		return Info{}, false
	}
	return registry[i], true
}
