package designtest

import (
	"fmt"
	"strings"
)

// File is one file of an Archive.
type File struct {
	Name, Text string
}

// Archive is files in one text: lines before the first marker are a comment, a line "-- name --" starts a file.
type Archive struct {
	Comment string
	Files   []File
}

// Parse reads an archive.
func Parse(text string) Archive {
	var a Archive
	at := &a.Comment
	for line := range strings.Lines(text) {
		if name, ok := marker(line); ok {
			a.Files = append(a.Files, File{Name: name})
			at = &a.Files[len(a.Files)-1].Text
			continue
		}
		*at += line
	}
	return a
}

func marker(line string) (string, bool) {
	s, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(s, " --")
}

// Get returns a file's text; ok is false when there is none of that name.
func (a *Archive) Get(name string) (string, bool) {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Text, true
		}
	}
	return "", false
}

// Set replaces or adds a file.
func (a *Archive) Set(name, text string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Text = text
			return
		}
	}
	a.Files = append(a.Files, File{name, text})
}

// String writes the archive as Parse reads it.
func (a *Archive) String() string {
	var b strings.Builder
	b.WriteString(a.Comment)
	for _, f := range a.Files {
		fmt.Fprintf(&b, "-- %s --\n%s", f.Name, f.Text)
		if f.Text != "" && !strings.HasSuffix(f.Text, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
