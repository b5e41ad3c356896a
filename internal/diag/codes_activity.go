package diag

// Codes of package activity.
const (
	ActNoClock    Code = "no-reference-clock"
	ActCutCycles  Code = "cycles-cut"
	ActMultiClock Code = "several-clocks"
)

var activityCodes = []Info{
	{ActNoClock, Note, "The design has no clock with edges in the run and --cycle was not given, so changes are not split into functional ones and glitches.", "Add --cycle TIME to split them by a fixed period."},
	{ActCutCycles, Note, "The borders of the interval cut cycles, so the splits of neighbouring intervals need not add up to that of their union.", "Choose --from and --to on clock edges."},
	{ActMultiClock, Note, "Nets fed by registers of several clocks, or of none, are split by the fastest clock.", "Use --cycle to choose another period."},
}
