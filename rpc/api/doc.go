// Package api is the protocol between wattd and its clients: every message with its params, result, errors and version.
//
// Contract: what is not declared here is not part of the protocol, and docs/protocol.md is generated from these declarations and
// their comments. The package holds data only: it opens nothing, starts nothing, and imports nothing of ours, so that clients may
// use it alone. A field is never renamed or given another meaning within a major version.
package api
