// Package simtest compares the whole pipeline, from text to events and counts, with an independent answer on random
// circuits, and with itself under everything that must not change a result: window cuts, workers, variants, engines.
//
// Contract: a case is a function of its seed; a failure names it and leaves the four input files. The suite also counts
// how often every rule was met and fails when one never was: a check that cannot fail is none. The parts are
// simtest/model (circuits and their texts), simtest/oracle (the independent answer) and simtest/corpus (real designs).
//
// WATTD_CASES sets the number of random cases, WATTD_SEED the first seed.
package simtest
