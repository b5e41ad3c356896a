package project

import "github.com/wattd/wattd/internal/footprint"

// Footprint counts what a finished session holds. Sessions that continue one another share most of it.
func (s *Session) Footprint(t *footprint.Tally) {
	if len(s.libs) > 0 {
		t.Once(s.libs[0], s.libBytes)
	}
	if s.Netlist != nil {
		s.Netlist.Footprint(t)
	}
	if s.names != nil {
		s.names.Footprint(t)
	}
	if s.Design != nil {
		s.Design.Footprint(t)
	}
	footprint.Slice(t, s.first)
	for _, v := range s.tracks {
		footprint.Slice(t, v.Sum.Chunks)
		v.Track.Footprint(t)
	}
	for i := range s.Files {
		footprint.Slice(t, s.Files[i].sum.Chunks)
	}
	if s.Stim != nil {
		s.Stim.Footprint(t)
	}
	for _, st := range s.parts {
		st.Footprint(t)
	}
	for _, r := range s.results {
		r.Footprint(t)
	}
	if s.Table != nil {
		s.Table.Footprint(t)
	}
}

// weighLibraries counts the libraries of a session that stays, once for all that take them over.
func (s *Session) weighLibraries() {
	if s.keep && s.libBytes == 0 {
		s.libBytes = footprint.Deep(s.libs)
	}
}

// WithoutWaves is a finished session without what its simulation made: one that continues it takes over all the rest and simulates
// in full.
func (s *Session) WithoutWaves() *Session {
	c := *s
	c.Result, c.Table, c.parts, c.results, c.said = nil, nil, nil, nil, nil
	return &c
}

// Outline is what remains to be told of a session that is let go: its choices, files and messages. Stamps of files are left out, which
// another goroutine may be comparing.
func (s *Session) Outline() *Session {
	c := &Session{Config: s.Config, Bag: s.Bag, Work: s.Work, top: s.Top()}
	for i := range s.Files {
		f := &s.Files[i]
		c.Files = append(c.Files, FileInfo{Role: f.Role, Path: f.Path, Hash: f.Hash, Bytes: f.Bytes, Chunks: f.Chunks, Time: f.Time})
	}
	return c
}
