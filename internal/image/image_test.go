package image_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"go.uber.org/goleak"

	"github.com/wattd/wattd/internal/image"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type point struct {
	X, Y int32
	ok   bool
	t    int64
}

type node struct {
	name string
	next *node
	kids []*node
	up   *graph
}

type graph struct {
	Points []point
	same   []point
	Names  []string
	lists  [][]int32
	m      map[string]map[int32]bool
	byKey  map[[2]int16]string
	nodes  []*node
	pair   [2]*node
	flat   [3]uint16
	empty  []int32
	none   []int32
	noMap  map[string]int
	inner  struct {
		a uint8
		s string
		b uint64
	}
	//lint:ignore U1000 passed over by its tag
	mu sync.Mutex `image:"-"`
	//lint:ignore U1000 passed over by its tag
	f func() `image:"-"`
}

func sample(n int) *graph {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	g := &graph{Names: []string{"", "a", "bc", "a"}, m: map[string]map[int32]bool{}, byKey: map[[2]int16]string{{1, 2}: "x", {2, 1}: ""}}
	for range n {
		g.Points = append(g.Points, point{r.Int32(), r.Int32(), r.IntN(2) == 0, r.Int64()})
		x := &node{name: strings.Repeat("n", r.IntN(5)), up: g}
		if len(g.nodes) > 0 {
			x.next = g.nodes[r.IntN(len(g.nodes))]
			x.kids = g.nodes[:r.IntN(len(g.nodes)+1)]
			g.nodes[0].next = x // a cycle
		}
		g.nodes = append(g.nodes, x)
		g.lists = append(g.lists, make([]int32, r.IntN(3)))
		g.m[x.name] = map[int32]bool{r.Int32(): true}
	}
	if n > 0 {
		g.pair = [2]*node{g.nodes[0], g.nodes[0]}
	}
	g.same, g.empty = g.Points, []int32{}
	g.inner.a, g.inner.s, g.inner.b, g.flat = 7, "in", 1<<60, [3]uint16{1, 2, 3}
	return g
}

func schemaOf[T any](t testing.TB) *image.Schema {
	t.Helper()
	s, err := image.NewSchema(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func write(t testing.TB, s *image.Schema, v any) []byte {
	t.Helper()
	im, err := s.New(v)
	if err != nil {
		t.Fatal(err)
	}
	b := im.Bytes()
	if int64(len(b)) != im.Size() {
		t.Fatalf("%d bytes, Size says %d", len(b), im.Size())
	}
	return b
}

func TestRoundTrip(t *testing.T) {
	s := schemaOf[graph](t)
	for _, n := range []int{0, 1, 2, 100} {
		g := sample(n)
		b := write(t, s, g)
		if !bytes.Equal(b, write(t, s, g)) {
			t.Fatalf("%d: two images of one value differ", n)
		}
		var got graph
		if err := s.Read(image.NewBlock(b), &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(&got, g) {
			t.Fatalf("%d: not what was written", n)
		}
		if n > 0 && got.nodes[n-1].up != &got {
			t.Error("a pointer to the root leads elsewhere")
		}
		if got.none != nil || got.empty == nil || got.noMap != nil {
			t.Error("nil and empty are not told apart")
		}
		if n > 0 {
			if unsafe.SliceData(got.Points) != unsafe.SliceData(got.same) || got.pair[0] != got.nodes[0] || got.pair[1] != got.nodes[0] {
				t.Error("what was shared is not")
			}
			if cap(got.Points) != n || uintptr(unsafe.Pointer(&got.Points[0]))%8 != 0 {
				t.Errorf("capacity %d of %d, at %p", cap(got.Points), n, &got.Points[0])
			}
		}
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	for _, c := range []struct {
		of   reflect.Type
		want string
	}{
		{reflect.TypeFor[struct{ a struct{ f func() } }](), ".a.f is of type func()"},
		{reflect.TypeFor[struct{ c []chan int }](), ".c[] is of type chan int"},
		{reflect.TypeFor[struct{ i any }](), ".i is of type interface {}"},
		{reflect.TypeFor[struct{ m sync.Mutex }](), ".m is of type sync.Mutex"},
		{reflect.TypeFor[struct{ p unsafe.Pointer }](), ".p is of type unsafe.Pointer"},
		{reflect.TypeFor[struct{ p uintptr }](), ".p is of type uintptr"},
		{reflect.TypeFor[struct{ m map[float64]*int }](), ""},
		{reflect.TypeFor[struct{ m map[*int]int }](), "cannot be written"},
		{reflect.TypeFor[[]struct{}](), "cannot be written"},
		{reflect.TypeFor[[]struct {
			f func() `image:"-"`
		}](), "nothing of the elements"},
		{reflect.TypeFor[struct {
			f int `image:"x"`
		}](), "unknown tag"},
	} {
		_, err := image.NewSchema(c.of)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.of, err, c.want)
		}
	}
	s := schemaOf[graph](t)
	if _, err := s.New(graph{}); err == nil {
		t.Error("a value that is no pointer is written")
	}
	if err := s.Read(image.NewBlock(nil), &node{}); err == nil {
		t.Error("read into another type")
	}
}

func TestHashFollowsTheLayout(t *testing.T) {
	seen := map[[32]byte]reflect.Type{}
	for _, of := range []reflect.Type{
		reflect.TypeFor[struct{ A, B int32 }](), reflect.TypeFor[struct{ B, A int32 }](), reflect.TypeFor[struct{ A, B uint32 }](),
		reflect.TypeFor[struct{ A, B, C int32 }](), reflect.TypeFor[struct{ A *struct{ B int32 } }](), reflect.TypeFor[struct{ A *struct{ C int32 } }](),
		reflect.TypeFor[struct {
			A int32
			B int32 `image:"-"`
		}](),
	} {
		s, err := image.NewSchema(of)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[s.Hash()]; ok {
			t.Errorf("%v and %v have one hash", of, other)
		}
		seen[s.Hash()] = of
	}
	type a struct{ X []int32 }
	type b struct{ X []uint32 }
	err := schemaOf[b](t).Read(image.NewBlock(write(t, schemaOf[a](t), &a{[]int32{1}})), &b{})
	if !errors.Is(err, image.ErrImage) {
		t.Errorf("an image of another layout: %v", err)
	}
}

func TestDamage(t *testing.T) {
	s := schemaOf[graph](t)
	good := write(t, s, sample(6))
	for n := range len(good) {
		if err := s.Read(image.NewBlock(good[:n]), &graph{}); !errors.Is(err, image.ErrImage) {
			t.Fatalf("%d of %d bytes: %v", n, len(good), err)
		}
	}
	front := int(binary.NativeEndian.Uint64(good[56:]))
	r := rand.New(rand.NewPCG(1, 2))
	for at := range front {
		for range 6 {
			b := bytes.Clone(good)
			b[at] ^= byte(1 + r.IntN(255))
			if err := s.Read(image.NewBlock(b), &graph{}); err != nil && !errors.Is(err, image.ErrImage) {
				t.Fatalf("byte %d: %v", at, err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	s := schemaOf[graph](f)
	head := len(write(f, s, &graph{}))
	for _, n := range []int{0, 1, 3} {
		f.Add(write(f, s, sample(n))[64:])
	}
	good := write(f, s, &graph{})
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) < head-64 {
			return
		}
		b := append(bytes.Clone(good[:64]), body...)
		for len(b)%64 != 0 {
			b = append(b, 0)
		}
		binary.NativeEndian.PutUint64(b[48:], uint64(len(b)))
		for _, front := range []int{len(b), len(b) / 2} { // the head is right, what follows is not
			binary.NativeEndian.PutUint64(b[56:], uint64(max(front, 64)))
			if err := s.Read(image.NewBlock(b), &graph{}); err != nil && !errors.Is(err, image.ErrImage) {
				t.Fatal(err)
			}
		}
	})
}

// A few bytes must not ask for much memory.
func TestBoundedMemory(t *testing.T) {
	type deep struct{ L [][][]string }
	s := schemaOf[deep](t)
	good := write(t, s, &deep{[][][]string{{{"a", "b"}}}})
	for at := 64; at < len(good); at++ {
		b := bytes.Clone(good)
		for k := range 4 { // the largest number of four bytes
			if at+k < len(b) {
				b[at+k] = 0xff
			}
		}
		n := testing.AllocsPerRun(1, func() { _ = s.Read(image.NewBlock(b), &deep{}) })
		if n > 200 {
			t.Fatalf("byte %d: %v allocations", at, n)
		}
	}
}

func BenchmarkWriteRead(b *testing.B) {
	s := schemaOf[graph](b)
	g := &graph{Points: make([]point, 4<<20)}
	im, err := s.New(g)
	if err != nil {
		b.Fatal(err)
	}
	data := im.Bytes()
	b.Run("write", func(b *testing.B) {
		b.SetBytes(im.Size())
		for b.Loop() {
			im, _ := s.New(g)
			_, _ = im.WriteTo(io.Discard)
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(im.Size())
		for b.Loop() {
			if err := s.Read(image.NewBlock(data), &graph{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
