package api

// Requests about the server itself.
var (
	ServerStatus  = method[Empty, ServerStatusResult]("server/status", "What the server is, holds and does.")
	ServerMetrics = method[Empty, ServerMetricsResult]("server/metrics", "Counters since the server started.")
	CacheStats    = method[Empty, CacheStatsResult]("cache/stats", "What the cache on disk holds.")
	CacheClear    = method[Empty, CacheStatsResult]("cache/clear", "Empties the cache. Answers do not change, only the time they take.")
)

// ServerStatusResult describes the server.
type ServerStatusResult struct {
	Version  string           `json:"version"`
	Protocol Version          `json:"protocol"`
	Pid      int64            `json:"pid"`
	UptimeMs int64            `json:"uptimeMs"`
	IdleExit int64            `json:"idleExitMs"` // idle time after which it exits; 0: never
	Socket   string           `json:"socket"`
	Log      string           `json:"log"`             // file; empty: it is written to the standard error of the server
	Admin    string           `json:"admin"`           // socket of the profiles
	TCP      string           `json:"tcp,omitempty"`   // loopback address where it is asked to listen
	Token    string           `json:"token,omitempty"` // file with the token for that
	Sessions []SessionRow     `json:"sessions"`
	Designs  Table[DesignRow] `json:"designs"`
	Memory   MemoryStatus     `json:"memory"`
	Devices  []Device         `json:"devices"`
	Watch    WatchStatus      `json:"watch"`
	Tasks    []TaskUpdate     `json:"tasks"`
}

// SessionRow is a connection.
type SessionRow struct {
	Client   Software `json:"client"`
	Pid      int64    `json:"pid"`     // of the client; 0: not known
	SinceMs  int64    `json:"sinceMs"` // age
	Running  int64    `json:"running"` // requests
	Waiting  int64    `json:"waiting"` // requests
	BytesIn  int64    `json:"bytesIn"`
	BytesOut int64    `json:"bytesOut"`
	Dropped  int64    `json:"dropped"` // updates that the client did not read in time
	Keep     bool     `json:"keep"`    // session/keep
}

// MemoryStatus compares what is accounted with what the system sees. All in bytes.
type MemoryStatus struct {
	Budget    int64 `json:"budget"`    // most that designs may take before the least recently used are let go; 0: no bound
	Accounted int64 `json:"accounted"` // what they take
	RSS       int64 `json:"rss"`       // of the process
	Evictions int64 `json:"evictions"` // waves and whole designs let go for the budget since the start
}

// WatchStatus says how files are watched.
type WatchStatus struct {
	Events    int64    `json:"events"`          // folders watched by events of the system
	Polled    int64    `json:"polled"`          // files looked at from time to time
	Overflows int64    `json:"overflows"`       // times that events were lost and all files were compared
	Notes     []string `json:"notes,omitempty"` // why files are polled that need not be
}

// ServerMetricsResult has a row a counter.
type ServerMetricsResult struct {
	Metrics  Table[MetricRow]  `json:"metrics"`
	Requests Table[CallRow]    `json:"requests"`
	Errors   Table[FailureRow] `json:"errors"`
}

// MetricRow is a counter or gauge.
type MetricRow struct {
	Name  string  `json:"name"` // with its unit as suffix
	Value float64 `json:"value"`
}

// CallRow is what one method cost. Times are from arrival to answer, those of requests that failed included, to one part in sixteen.
type CallRow struct {
	Method    string  `json:"method"` // empty: methods that the server does not have
	N         int64   `json:"n"`
	Errors    int64   `json:"errors"`
	Expired   int64   `json:"expired"`   // of the errors: out of time
	Cancelled int64   `json:"cancelled"` // of the errors: by the client, or because it went away
	P50Ms     float64 `json:"p50Ms"`
	P90Ms     float64 `json:"p90Ms"`
	P99Ms     float64 `json:"p99Ms"`
	MaxMs     float64 `json:"maxMs"`
}

// FailureRow counts the errors of a kind.
type FailureRow struct {
	Method string `json:"method"` // empty: methods that the server does not have
	Kind   string `json:"kind"`
	N      int64  `json:"n"`
}

// CacheStatsResult describes the cache.
type CacheStatsResult struct {
	Mode      string `json:"mode"`             // disk, memory, off
	Reason    string `json:"reason,omitempty"` // why it is not on disk
	Path      string `json:"path,omitempty"`
	Entries   int64  `json:"entries"`   // files of images, two of a design that was simulated
	Bytes     int64  `json:"bytes"`     // on disk or in memory
	Budget    int64  `json:"budget"`    // most bytes
	Hits      int64  `json:"hits"`      // since the start
	Misses    int64  `json:"misses"`    // since the start
	Corrupt   int64  `json:"corrupt"`   // entries that failed their check and were made again
	Evictions int64  `json:"evictions"` // since the start
}
