// Package native answers the methods of rpc/api from the snapshots of a workspace.
//
// Contract: an answer rests on one snapshot and says on which: its meta is that of the data beside it. Files are compared before a
// query is answered, unless it accepts older ones. What is not built is not registered, so that `initialize` tells the truth about
// this server, and a param that is not supported is refused. Errors carry the kinds of rpc/api. The package opens no socket and
// decides nothing about the life of the server: that is package daemon.
package native

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// Server is what the daemon tells of itself. Nil functions stand for what it does not have.
type Server struct {
	Version  string
	Pid      int64
	Started  time.Time
	IdleExit time.Duration
	Socket   string
	Log      string
	Limits   api.Limits

	Admin, TCP, TokenFile string

	Watch func() api.WatchStatus
	// Watched tells how a file is watched: events, poll, or "".
	Watched func(path string) string
	// Files is called when the files of the open designs may be others.
	Files func()
	// Store keeps designs beyond the process; nil: none.
	Store *workspace.Store
	// Budget is how many bytes the designs may take, 0 for no bound; Evicted is told what went for it.
	Budget  int64
	Evicted func(workspace.Eviction)
	// Began is called when a request is admitted; what it returns, when it is answered.
	Began func() (ended func())
}

// Native holds the sessions of a server.
type Native struct {
	ws     *workspace.Workspace
	server Server
	mux    *rpc.Mux
	calls  *callCounts

	mu       sync.Mutex
	sessions map[*session]bool
	subs     map[string]*subscription // by id
	nextSub  int64
	said     map[string]messageSet // by design whose files are wrong: the messages told last
	tasks    map[string]*task      // under way, by id
	nextTask int64

	overlays    map[string]*overlay // by id
	nextOverlay int64
}

// session is what belongs to a connection.
type session struct {
	conn  *rpc.Conn
	since time.Time
	keep  atomic.Bool
	begun atomic.Bool // initialize was admitted

	mu     sync.Mutex
	cwd    string
	client api.Software
	pid    int64
	opened map[string]bool // designs that the connection opened and has not closed
}

// New makes a server of a workspace. The workspace's notify must call Updated.
func New(server Server) *Native {
	n := &Native{server: server, mux: rpc.NewMux(), calls: &callCounts{}, sessions: map[*session]bool{}, subs: map[string]*subscription{}, said: map[string]messageSet{}, tasks: map[string]*task{}, overlays: map[string]*overlay{}}
	n.ws = workspace.New(n.updated)
	n.ws.SetStore(server.Store)
	n.ws.SetHooks(workspace.Hooks{Faulty: n.faulty, Making: n.making, Evicted: server.Evicted, Followed: n.isFollowed})
	n.ws.SetBudget(server.Budget)
	rpc.Register(n.mux, api.Initialize, n.initialize)
	rpc.Register(n.mux, api.Shutdown, n.shutdown)
	rpc.Register(n.mux, api.Keep, n.keepOn)
	rpc.RegisterNote(n.mux, api.Exit, func(ctx context.Context, _ api.Empty) error {
		rpc.RequestOf(ctx).Conn.Close()
		return nil
	})
	n.registerDesign()
	n.registerNet()
	n.registerDiff()
	n.registerServer()
	n.registerCache()
	n.registerWhatIf()
	return n
}

// Workspace is where the designs are.
func (n *Native) Workspace() *workspace.Workspace { return n.ws }

// Handler answers requests.
func (n *Native) Handler() rpc.Handler { return n.mux }

type sessionKey struct{}

func sessionOf(ctx context.Context) *session {
	s, _ := ctx.Value(sessionKey{}).(*session)
	return s
}

// Opened makes the session of a connection; it is an rpc.Options.Opened.
func (n *Native) Opened(ctx context.Context, c *rpc.Conn) context.Context {
	s := &session{conn: c, since: time.Now(), opened: map[string]bool{}}
	n.mu.Lock()
	n.sessions[s] = true
	n.mu.Unlock()
	context.AfterFunc(ctx, func() { n.closed(s) })
	return context.WithValue(ctx, sessionKey{}, s)
}

func (n *Native) filesChanged() {
	if n.server.Files != nil {
		n.server.Files()
	}
}

// closed forgets a session with its subscriptions.
func (n *Native) closed(s *session) {
	var gone []*overlay
	defer func() {
		for _, o := range gone {
			o.o.Discard()
		}
	}()
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.sessions, s)
	for id, sub := range n.subs {
		if sub.session == s {
			delete(n.subs, id)
		}
	}
	for id, o := range n.overlays {
		if o.session == s {
			delete(n.overlays, id)
			gone = append(gone, o)
		}
	}
}

// Sessions counts the connections, and those that keep the server from leaving.
func (n *Native) Sessions() (all, keep int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for s := range n.sessions {
		if s.keep.Load() {
			keep++
		}
	}
	return len(n.sessions), keep
}

// Admit is an rpc.Options.Admit: it does, in the order of arrival, what later requests must see.
func (n *Native) Admit(ctx context.Context, req *rpc.Request) (context.Context, func(), error) {
	release := func() {}
	if n.server.Began != nil {
		release = n.server.Began()
	}
	s := sessionOf(ctx)
	switch {
	case req.Method == api.Initialize.Name():
		if err := s.begin(req, n.server.Version); err != nil {
			return ctx, release, err
		}
	case !s.begun.Load():
		return ctx, release, api.Errorf(api.NotInitialized, "%s came before initialize", req.Method)
	case req.Method == api.WorkspaceChanged.Name():
		return context.WithValue(ctx, confirmedKey{}, n.confirm(s, req)), release, nil
	}
	return ctx, release, nil
}

// begin takes what initialize says of the client.
func (s *session) begin(req *rpc.Request, version string) error {
	var p api.InitializeParams
	if len(req.Params) > 0 {
		if err := json.Unmarshal(req.Params, &p); err != nil {
			return api.Errorf(api.BadRequest, "initialize: %v", err)
		}
	}
	if v := p.Protocol; v != nil && v.Major != api.Protocol.Major {
		return api.Errorf(api.VersionMismatch, "the client, %s %s, speaks protocol %d.%d, this server, wattd %s, speaks %d.%d",
			cmp.Or(p.ClientInfo.Name, "unnamed"), p.ClientInfo.Version, v.Major, v.Minor, version, api.Protocol.Major, api.Protocol.Minor)
	}
	if p.Cwd != "" && !filepath.IsAbs(p.Cwd) {
		return api.Errorf(api.BadRequest, "cwd %q is not absolute", p.Cwd)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client, s.cwd = p.ClientInfo, p.Cwd
	if p.ProcessID != nil {
		s.pid = *p.ProcessID
	}
	s.begun.Store(true)
	return nil
}

// folder is the working folder of the client, or "".
func (s *session) folder() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cwd
}

// path makes a path of the client absolute.
func (s *session) path(p string) (string, error) {
	if p == "" || filepath.IsAbs(p) {
		return p, nil
	}
	cwd := s.folder()
	if cwd == "" {
		return "", api.Errorf(api.BadRequest, "%q is relative, and initialize gave no cwd", p)
	}
	return filepath.Join(cwd, p), nil
}

func (n *Native) initialize(context.Context, api.InitializeParams) (api.InitializeResult, error) {
	r := api.InitializeResult{ServerInfo: api.Software{Name: "wattd", Version: n.server.Version}, Protocol: api.Protocol}
	methods := slices.DeleteFunc(n.mux.Methods(), func(name string) bool {
		in, ok := api.Lookup(name)
		return ok && in.Shape != api.Request
	})
	r.Capabilities.Experimental.Wattd = api.Native{Methods: methods, Topics: topics, Devices: devices(), Limits: n.server.Limits}
	return r, nil
}

func devices() []api.Device {
	return []api.Device{{Engine: "host", Name: runtime.GOARCH, Cores: runtime.GOMAXPROCS(0)}}
}

func (n *Native) shutdown(ctx context.Context, _ api.Empty) (api.Empty, error) {
	rpc.RequestOf(ctx).Conn.Refuse()
	return api.Empty{}, nil
}

func (n *Native) keepOn(ctx context.Context, p api.KeepParams) (api.Empty, error) {
	sessionOf(ctx).keep.Store(p.Keep)
	return api.Empty{}, nil
}

// asError puts errors of the workspace in the words of the protocol.
func (n *Native) asError(err error) error {
	var in *workspace.InputError
	var name *workspace.NameError
	var pattern *workspace.PatternError
	var usage *workspace.UsageError
	var file *workspace.FileError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &in):
		e := api.Errorf(api.InputError, "%v", in)
		for _, d := range diagnostics(in.Bag, "error") {
			if !slices.ContainsFunc(e.Data.Diagnostics, func(o api.Diagnostic) bool { return o.Code == d.Code }) {
				e.Data.Diagnostics = append(e.Data.Diagnostics, d)
			}
		}
		if ds := e.Data.Diagnostics; len(ds) > 0 {
			e.Data.Path, e.Data.Line, e.Data.Col = ds[0].Path, ds[0].Line, ds[0].Col
			e.Data.Hint = cmp.Or(ds[0].Hint, e.Data.Hint)
		}
		return e
	case errors.As(err, &name):
		kind := api.NameNotFound
		if name.Ambiguous {
			kind = api.AmbiguousName
		}
		return api.Errorf(kind, "%v", name).WithCandidates(name.Candidates...)
	case errors.As(err, &pattern):
		return api.Errorf(api.BadRequest, "%v", pattern)
	case errors.As(err, &usage):
		return api.Errorf(api.BadRequest, "%s%s", usage.Flag, usage.Msg)
	case errors.As(err, &file):
		e := api.Errorf(api.FileError, "%v", file)
		e.Data.Path = file.Path
		return e
	case errors.Is(err, workspace.ErrUnknown), errors.Is(err, workspace.ErrAmbiguous):
		e := api.Errorf(api.DesignNotFound, "%v", err)
		for _, p := range n.ws.List() {
			e.Data.Candidates = append(e.Data.Candidates, p.Name())
		}
		if len(e.Data.Candidates) == 0 {
			e.Data.Hint = "open one with design/open"
		}
		return e
	case errors.Is(err, workspace.ErrTaken):
		return api.Errorf(api.BadRequest, "%v", err)
	case errors.Is(err, workspace.ErrGone):
		return api.Errorf(api.StaleSnapshot, "%v", err)
	}
	return err
}
