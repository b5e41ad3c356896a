// Package rpc turns bytes into ordered, cancellable, bounded calls and back. It is the only user of jsonrpc2.
//
// Contract: whatever a peer sends is answered or refused, never a panic, a hang, or memory out of proportion; a connection
// survives what it can. Requests are admitted on the goroutine that reads, in the order of their arrival, so that each sees
// what came before it; then they run side by side and are answered in any order. Handlers must return soon after their context
// ends. Notifications run on the reading goroutine and must be cheap.
//
// Of jsonrpc2 the package uses the matching of answers to calls and the life of a connection. Framing, batches, limits,
// cancellation, deadlines, back pressure and errors are its own, because there the library closes the connection, or waits for
// ever, or does not look.
package rpc
