package diag

// Codes of package design.
const (
	DesignClearPreset     Code = "clear-preset-unknown"
	DesignUnknownPin      Code = "function-unknown-pin"
	DesignTooWide         Code = "gate-too-wide"
	DesignBlackBox        Code = "black-box"
	DesignUndriven        Code = "undriven-net"
	DesignMultiDriven     Code = "multiply-driven"
	DesignMerged          Code = "parallel-drivers"
	DesignMergedArcs      Code = "parallel-drivers-differ"
	DesignLoop            Code = "loop-opened"
	DesignCondOutputCycle Code = "cond-output-cycle"
	SDFEmptyCorner        Code = "sdf-empty-corner"
	SDFCornerFallback     Code = "sdf-corner-fallback"
	SDFUnknownInstance    Code = "sdf-unknown-instance"
	SDFUnknownPin         Code = "sdf-unknown-pin"
	SDFUnknownNet         Code = "sdf-unknown-net"
	SDFCellType           Code = "sdf-celltype-mismatch"
	SDFNothingBound       Code = "sdf-nothing-bound"
	SDFMount              Code = "sdf-mount-unknown"
	SDFCondName           Code = "sdf-cond-unknown-name"
	SDFCondSyntax         Code = "sdf-cond-syntax"
	SDFNotDriver          Code = "sdf-not-a-driver"
	SDFTopOutput          Code = "sdf-top-output"
	SDFSegmentGap         Code = "sdf-segment-gap"
	SDFCondReplaced       Code = "sdf-cond-replaced"
	SDFNegativeDelay      Code = "sdf-negative-iopath"
	SDFNegativeWire       Code = "sdf-negative-wire"
	SDFRoundedToZero      Code = "delay-rounds-to-zero"
	SDFTickTooCoarse      Code = "tick-too-coarse"
	SDFInexact            Code = "delay-inexact"
	SDFTooLarge           Code = "delay-too-large"
	SDFUnannotated        Code = "arc-unannotated"
	SDFZEdgeIgnored       Code = "sdf-z-edge"
	SDFWirePerDriver      Code = "sdf-wire-per-driver"
)

var designCodes = []Info{
	{DesignClearPreset, Warning, "A latch or statetable has inputs for which Liberty says that its state is unknown (X, T or nothing).", "Add clear_preset_var1 to the latch group, or check that clear and preset are never active together."},
	{DesignUnknownPin, Error, "A function in the library names something that is neither a pin nor a state of its cell.", "Correct the library; the output cannot be computed."},
	{DesignTooWide, Error, "A gate, or a three-state bus with all its drivers, has more than 64 variables.", "Give the stimulus for that net, so that it becomes a source."},
	{DesignBlackBox, Warning, "An instance drives nets but its cell has no function, or is neither in a library nor a module.", "Add the Liberty file that defines it, or make sure that the stimulus covers its outputs."},
	{DesignUndriven, Warning, "A net is read but nothing drives it; it is 0 throughout.", "Check the netlist for a missing connection, or the library for a missing cell."},
	{DesignMultiDriven, Warning, "A net has several drivers that do not compute the same and are not all three-state; it is a source.", "Check the netlist; otherwise the stimulus must contain the net."},
	{DesignMerged, Note, "Several drivers of one net compute the same function of the same nets; the first in name order stands for all.", "Nothing to do: this is how parallel clock buffers are written."},
	{DesignMergedArcs, Warning, "Parallel drivers of one net have different delays; those of the first in name order are used.", "Check the SDF if the difference matters."},
	{DesignLoop, Warning, "Computed gates form a loop; the listed nets were cut out of it and became sources.", "The stimulus must contain these nets."},
	{DesignCondOutputCycle, Error, "A condition of an arc names an output of the cell, or an input that its function does not read, that depends on the very output: neither can be evaluated first.", "Remove the condition from the SDF."},
	{SDFEmptyCorner, Error, "A value of the SDF file has nothing in the chosen column.", "Choose a column that is there (--corner min|typ|max), or add --corner-fallback."},
	{SDFCornerFallback, Warning, "A value has nothing in the chosen column; --corner-fallback took the mean of min and max, or the nearest one present.", "Choose a column that the file fills if the difference matters."},
	{SDFUnknownInstance, Warning, "A CELL or an end of a wire names an instance that the netlist does not have.", "Check that netlist and SDF are from one run, and the mount point (--sdf FILE@INSTANCE)."},
	{SDFUnknownPin, Warning, "A statement names a pin that the cell does not have, or one of the wrong direction.", "Check that the SDF was written for this library."},
	{SDFUnknownNet, Warning, "NETDELAY names neither a net nor a driving pin.", "Check that netlist and SDF are from one run."},
	{SDFCellType, Warning, "A CELL's CELLTYPE is not the cell of that instance in the netlist; its delays are used all the same.", "Write the SDF again from this netlist."},
	{SDFNothingBound, Error, "Not one statement of the SDF file found its place in the design.", "Check the top module and the mount point (--sdf FILE@INSTANCE)."},
	{SDFMount, Error, "The instance after @ is not in the design.", "Give the hierarchical path of an instance of the top module."},
	{SDFCondName, Warning, "A condition names something that is no pin, state or output of the cell; the statement was dropped.", "Check that the SDF was written for this library."},
	{SDFCondSyntax, Error, "A condition could not be read.", "Correct the condition in the SDF file."},
	{SDFNotDriver, Warning, "The source of an INTERCONNECT does not drive its load; the delay was taken for all sources of the load.", "Check that netlist and SDF are from one run."},
	{SDFTopOutput, Note, "A wire ends at an output port of the top, where there is no pin that it could delay.", "Nothing to do."},
	{SDFSegmentGap, Warning, "Wire delays were given for pieces that do not meet in a hierarchical port; the last statement and what meets it were used.", "Write INTERCONNECT from leaf pin to leaf pin."},
	{SDFCondReplaced, Warning, "An IOPATH without condition replaced condition entries that stood before it, as annotation onto specify paths does.", "Put the unconditional IOPATH first, or use --sdf-unconditional=default to keep the conditions."},
	{SDFNegativeDelay, Warning, "An IOPATH delay is negative after all statements; it is 0.", "Nothing to do if the value is small; otherwise check the SDF writer."},
	{SDFNegativeWire, Warning, "A wire delay is negative after all statements; it is 0.", "Nothing to do if the value is small; otherwise check the SDF writer."},
	{SDFRoundedToZero, Warning, "Positive delays are below half a tick and became 0.", "Use a finer --tick; the message names the largest one that holds all values."},
	{SDFTickTooCoarse, Error, "More than 1 % of the IOPATH values that are not 0 would become 0: the tick, or the TIMESCALE of the file, is wrong.", "Use a finer --tick (the message names the largest one that holds all values), or correct TIMESCALE."},
	{SDFInexact, Warning, "Delays are not whole numbers of ticks and were rounded.", "Use a finer --tick; the message names the largest one that holds all values."},
	{SDFTooLarge, Error, "A delay does not fit: it must be below 2^30 ticks and 9 s.", "Check TIMESCALE, or use a coarser --tick."},
	{SDFUnannotated, Warning, "Arcs of simulated gates have no delay in any SDF file; they are 0.", "Give the SDF of these instances, or accept zero delay there; the report lists the cell types."},
	{SDFZEdgeIgnored, Note, "Entries for edges to or from z have no meaning in a two-valued simulation and were skipped.", "Nothing to do."},
	{SDFWirePerDriver, Warning, "Sinks of a net with several drivers have different wire delays from each; those from the first driver in name order that has any are used.", "Nothing to do if the difference is small."},
}
