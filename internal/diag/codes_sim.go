package diag

// Codes of package sim.
const (
	SimStateDefault Code = "state-defaulted"
	SimPlanGrown    Code = "plan-too-small"
)

var simCodes = []Info{
	{SimStateDefault, Warning, "Latches or clock gates are closed at the start of the run and the dump does not show their outputs; their state is 0.", "Start the run (--from) where they are transparent, or dump their outputs; for clock gates the message names the next such time."},
	{SimPlanGrown, Note, "A presized run was short of memory and was repeated with growing memory.", "Nothing to do."},
}
