// Package corpus runs the real designs and the small hand-derived cases of the corpus through the program as a user would,
// and compares every event and count with the goldens.
//
// Contract: zero differing nets. Where a golden is x ours may be anything: our events inside the span, both ends
// included, are not compared, and the counts of such a net are not either. The tests skip without the corpus.
package corpus
