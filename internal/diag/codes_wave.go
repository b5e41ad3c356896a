package diag

// Codes of package wave.
const (
	StimScopeUnclear Code = "scope-unclear"
	StimNoScope      Code = "scope-unknown"
	StimMissing      Code = "source-without-stimulus"
	StimNew          Code = "new-sources"
	StimUnmapped     Code = "source-unmapped"
	StimTick         Code = "stimulus-off-tick"
	StimTime         Code = "stimulus-time-too-large"
	StimEmptyWindow  Code = "empty-window"
	StimOutside      Code = "interval-outside-dump"
	StimGap          Code = "dump-gap"
	StimX            Code = "stimulus-unknown"
	StimNeverKnown   Code = "stimulus-never-known"
	StimComplement   Code = "register-complement"
	StimZeroDelay    Code = "zero-delay-dump"
	StimNothing      Code = "stimulus-binds-nothing"
	StimFuzzy        Code = "name-matched-loosely"
	StimNoClock      Code = "unmapped-toggle-no-clock"
)

var waveCodes = []Info{
	{StimScopeUnclear, Error, "Without --scope, one scope of the dump must be the only one that names at least 95 % of the sources.", "Add --scope with the scope of the design instance, for example --scope tb.dut."},
	{StimNoScope, Error, "The dump has no scope of that name.", "Choose one of the scopes that the message lists."},
	{StimMissing, Error, "Sources (inputs, outputs of registers, memories and black boxes, cut loops) have no values in the dump.", "Dump these nets, check --scope, or choose --unmapped hold or --unmapped toggle:P."},
	{StimNew, Warning, "An edit made sources that the dump does not have; they hold 0.", "Dump a simulation of the new netlist if their activity matters."},
	{StimUnmapped, Warning, "Sources without values in the dump were given the --unmapped policy.", "Dump these nets if their activity matters."},
	{StimTick, Error, "A time stamp of the dump is not a whole number of ticks.", "Use the --tick that the message names."},
	{StimTime, Error, "A time stamp does not fit in 62 bits of ticks, or the run is longer than 2^46 ticks (70 s of 1 ps).", "Use a coarser --tick, or run a part (--from, --to); check the timescale of the dump."},
	{StimEmptyWindow, Error, "The interval of the run has no duration.", "Set --from and --to so that --from is before --to; a dump with one time stamp needs --to."},
	{StimOutside, Warning, "The interval of the run begins before or ends after the time stamps of the dump; values are held there.", "Check --from and --to against the dump."},
	{StimGap, Warning, "The dump is switched off ($dumpoff) for a part of the run; that time is excluded from the simulation, the durations and the counts.", "Choose --from and --to on one side of the gap, or dump without it."},
	{StimX, Warning, "Sources are unknown (x or z) for a part of the run and were given the --x policy there.", "Start the run after reset (--from), or initialise the registers."},
	{StimNeverKnown, Warning, "Sources are unknown throughout; they are 0.", "Check the dump; such registers are often not reset."},
	{StimComplement, Note, "The dump has only Q or only QN of a register; the other is its complement at the same times.", "Dump both outputs if their delays differ."},
	{StimZeroDelay, Error, "The registers of the dump change exactly on clock edges, and the design gates clocks: as dumped, every gated clock would open a cycle early.", "Dump a simulation with delays, or run without SDF delays."},
	{StimNothing, Error, "The dump names no source of the design.", "Check that dump and netlist belong together, and --scope."},
	{StimFuzzy, Note, "Names of the dump were bound by a rule that ignores separators or bus forms; wattd names explain NAME tells which.", "Nothing to do if the names are right."},
	{StimNoClock, Error, "--unmapped toggle:P needs a clock or --cycle to count cycles.", "Add --cycle, or use --unmapped hold."},
}
