// Package tools only pins the versions of the development tools; see the tool directives in go.mod.
package tools
