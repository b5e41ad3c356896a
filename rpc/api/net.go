package api

// Requests about nets.
var (
	NetActivity = method[NetActivityParams, NetActivityResult]("net/activity", "Counts of nets in an interval.")
	NetWaveform = method[NetWaveformParams, NetWaveformResult]("net/waveform", "Events of nets in an interval.")
	NetDrivers  = method[NetParams, NetPinsResult]("net/drivers", "What drives a net.")
	NetLoads    = method[NetParams, NetPinsResult]("net/loads", "What a net drives.")
	NetTrace    = method[NetTraceParams, NetTraceResult]("net/trace", "Why an event happened: the events that caused it, back to a source, with the arc and delay of each hop.")
	GlitchTop   = method[GlitchTopParams, GlitchTopResult]("glitch/top", "The nets with the most glitches, or the gates where they begin.")
)

// NetActivityParams choose nets.
type NetActivityParams struct {
	Source
	Page
	Selection
	Sort string `json:"sort,omitempty"` // name (default), tc, glitch, filtered, density: largest first, ties by name
}

// NetActivityResult has a row a net.
type NetActivityResult struct {
	Meta Meta               `json:"meta"`
	From int64              `json:"from"` // ticks
	To   int64              `json:"to"`   // ticks
	Nets Table[ActivityRow] `json:"nets"`
}

// ActivityRow is the counts of a net. t0 + t1 + tx + tz + tb is the duration.
type ActivityRow struct {
	Net        string  `json:"net"`
	TC         int64   `json:"tc"`         // changes between 0 and 1
	Rise       int64   `json:"rise"`       // changes to 1
	Fall       int64   `json:"fall"`       // changes to 0
	T0         int64   `json:"t0"`         // ticks at 0
	T1         int64   `json:"t1"`         // ticks at 1
	TX         int64   `json:"tx"`         // ticks unknown
	TZ         int64   `json:"tz"`         // ticks undriven
	TB         int64   `json:"tb"`         // ticks in contention
	Functional *int64  `json:"functional"` // changes that outlast their cycle; null: no clock to split by
	Glitch     *int64  `json:"glitch"`     // tc - functional; null: no clock to split by
	Filtered   *int64  `json:"filtered"`   // pulses that the driving gate did not pass; null: the interval cuts windows of the run, by which they are counted
	Density    float64 `json:"density"`    // changes a second; null: the interval is empty
	Class      string  `json:"class"`      // computed, input, register, and so on
}

// NetWaveformParams choose nets and how many of their events.
type NetWaveformParams struct {
	Source
	Page
	Selection
}

// NetWaveformResult has the values at the begin and an event a row, by net and time.
type NetWaveformResult struct {
	Meta   Meta            `json:"meta"`
	From   int64           `json:"from"` // ticks
	To     int64           `json:"to"`   // ticks
	Start  Table[StartRow] `json:"start"`
	Events Table[EventRow] `json:"events"` // its cursor pages through the events of all nets
}

// StartRow is the value of a net just before the interval.
type StartRow struct {
	Net   string `json:"net"`
	Value string `json:"value"` // 0, 1, x, z
}

// EventRow is a change of a net.
type EventRow struct {
	Net   int    `json:"net"`   // row in start
	At    int64  `json:"at"`    // ticks
	Value string `json:"value"` // 0, 1, x, z
}

// NetParams name a net.
type NetParams struct {
	Target
	Page
	Net string `json:"net"`
}

// NetPinsResult has a row a pin.
type NetPinsResult struct {
	Meta Meta          `json:"meta"`
	Net  string        `json:"net"` // in the spelling that was asked for
	Pins Table[PinRow] `json:"pins"`
}

// PinRow is a pin on a net, or a port of the top.
type PinRow struct {
	Instance string `json:"instance"` // empty: a port of the top
	Pin      string `json:"pin"`
	Cell     string `json:"cell"`     // cell type, or the kind of primitive
	Other    string `json:"other"`    // drivers: their inputs are one net, which it is; loads: net of the output when there is one
	WireRise *int64 `json:"wireRise"` // ticks of wire delay to this pin; null: a driver
	WireFall *int64 `json:"wireFall"` // ticks of wire delay to this pin; null: a driver
	Path     string `json:"path"`     // file of the instance
	Line     int    `json:"line"`     // line there, from 1
}

// NetTraceParams choose an event.
type NetTraceParams struct {
	Source
	Net     string `json:"net"`
	At      int64  `json:"at"`                // ticks: the last event of the net at or before it
	MaxHops int    `json:"maxHops,omitempty"` // 0: 1000
}

// NetTraceResult has a row a hop, the event that was asked for first, the source last.
type NetTraceResult struct {
	Meta     Meta          `json:"meta"`
	Hops     Table[HopRow] `json:"hops"`
	Complete bool          `json:"complete"` // the last hop is a source
}

// HopRow is an event and what caused it.
type HopRow struct {
	Net       string `json:"net"`
	At        int64  `json:"at"`        // ticks
	Value     string `json:"value"`     // 0, 1
	Glitch    bool   `json:"glitch"`    // it is not the one change that its cycle leaves behind
	Instance  string `json:"instance"`  // of the driving gate; empty: a source, or a gate without a name
	Cell      string `json:"cell"`      // empty: a source, or an inner gate of one that is cut in several
	Pin       string `json:"pin"`       // input whose change caused it; of a three-state net its net
	Condition string `json:"condition"` // what of pins, state bits and other outputs selected the arc; empty: nothing did
	Delay     int64  `json:"delay"`     // ticks of the arc
	Wire      int64  `json:"wire"`      // ticks of the wire to the pin
	Also      int64  `json:"also"`      // other pins that switched in the same tick
}

// GlitchTopParams choose the ranking.
type GlitchTopParams struct {
	Source
	Page
	Selection
	By string `json:"by,omitempty"` // net (default): nets by glitches; source: gates where the first extra event arises
}

// GlitchTopResult is a ranking; ties are by name.
type GlitchTopResult struct {
	Meta Meta             `json:"meta"`
	From int64            `json:"from"` // ticks
	To   int64            `json:"to"`   // ticks
	Nets Table[GlitchRow] `json:"nets"`
}

// GlitchRow is a net with glitches.
type GlitchRow struct {
	Net      string  `json:"net"`
	TC       int64   `json:"tc"`       // changes between 0 and 1
	Glitch   int64   `json:"glitch"`   // of them, those that do not outlast their cycle
	Share    float64 `json:"share"`    // of all glitches of the design, 0 to 1
	Born     int64   `json:"born"`     // glitches that arise at this gate; the others came in by an input
	Instance string  `json:"instance"` // of the driver
	Cell     string  `json:"cell"`     // of the driver
	Skew     *int64  `json:"skew"`     // largest difference in ticks between the arrivals of two inputs in a cycle with a born glitch; null: none is born here
	Early    string  `json:"early"`    // input that is first there, or empty
	Late     string  `json:"late"`     // input that is last there, or empty
}
