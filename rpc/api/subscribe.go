package api

// Subscriptions and what they bring. Each has a queue of bounded length on the server; when a client does not read, the oldest
// are dropped and the next one has `overflow: true`.
var (
	Subscribe   = method[SubscribeParams, SubscribeResult]("subscribe", "Asks to be told about a topic: design, nets, diagnostics, tasks.")
	Unsubscribe = method[UnsubscribeParams, Empty]("unsubscribe", "Ends a subscription.")

	DesignDidUpdate      = note[DesignUpdate]("design/didUpdate", FromServer, "A new snapshot is complete.")
	NetsDidUpdate        = note[NetsUpdate]("nets/didUpdate", FromServer, "Counts of subscribed nets changed.")
	DiagnosticsDidUpdate = note[DiagnosticsUpdate]("diagnostics/didUpdate", FromServer, "The messages about the inputs changed.")
	TasksDidUpdate       = note[TaskUpdate]("tasks/didUpdate", FromServer, "Work of the server began, went on, or ended.")
)

// Topics are those of subscribe.
var Topics = []string{"design", "nets", "diagnostics", "tasks"}

// SubscribeParams choose a topic.
type SubscribeParams struct {
	Target
	Selection        // nets: which; at most 1000 are followed
	Topic     string `json:"topic"`
	Stimulus  string `json:"stimulus,omitempty"` // nets: may be absent when one is loaded
}

// SubscribeResult has the id that updates carry.
type SubscribeResult struct {
	Meta         Meta   `json:"meta"`
	Subscription string `json:"subscription"`
}

// UnsubscribeParams name a subscription.
type UnsubscribeParams struct {
	Subscription string `json:"subscription"`
}

// Update is what all updates have.
type Update struct {
	Subscription string   `json:"subscription"`
	Design       string   `json:"design,omitempty"`
	Snapshot     int64    `json:"snapshot"`
	Cause        []string `json:"cause,omitempty"`    // files that changed, or edit
	Overflow     bool     `json:"overflow,omitempty"` // updates before this one were dropped
}

// DesignUpdate tells of a snapshot.
type DesignUpdate struct {
	Update
	Meta   Meta        `json:"meta"`
	Dirty  float64     `json:"dirty"`            // share of (gate, window) pairs that had to run, 0 to 1
	Delta  DesignDelta `json:"delta"`            // against the snapshot before
	Totals *DiffTotals `json:"totals,omitempty"` // when a stimulus is simulated
}

// NetsUpdate has the nets that changed.
type NetsUpdate struct {
	Update
	Nets Table[DiffRow] `json:"nets"`
}

// DiagnosticsUpdate has the messages that are new, and the codes that are gone.
type DiagnosticsUpdate struct {
	Update
	New  []Diagnostic `json:"new,omitempty"`
	Gone []string     `json:"gone,omitempty"`
}

// TaskUpdate tells of work.
type TaskUpdate struct {
	Update
	Task    string   `json:"task"`    // id, unique while the server runs
	Title   string   `json:"title"`   // read, compile, simulate, and so on
	State   string   `json:"state"`   // queued, running, done, failed, cancelled
	Percent *float64 `json:"percent"` // null: not known
}
