package edittest

import (
	"fmt"
	"os"
	"path/filepath"
)

// Folder is where the files of a sequence are.
type Folder struct {
	Dir  string
	text map[string]string
}

// Write makes the files what they are to be and lists those that changed. how chooses between the ways of writing that
// tools have: by rename, in place, removed and made again.
func (f *Folder) Write(files map[string]string, how int) (changed []string, err error) {
	if f.text == nil {
		f.text = map[string]string{}
	}
	for _, name := range sortedKeys(files) {
		text := files[name]
		if old, ok := f.text[name]; ok && old == text {
			continue
		}
		f.text[name] = text
		changed = append(changed, name)
		if err := replace(filepath.Join(f.Dir, name), text, how); err != nil {
			return changed, err
		}
	}
	for _, name := range sortedKeys(f.text) {
		if _, ok := files[name]; !ok {
			delete(f.text, name)
			changed = append(changed, name)
			if err := os.Remove(filepath.Join(f.Dir, name)); err != nil {
				return changed, err
			}
		}
	}
	return changed, nil
}

// Config is the path of the wattd.toml.
func (f *Folder) Config() string { return filepath.Join(f.Dir, "wattd.toml") }

func replace(path, text string, how int) error {
	switch how % 3 {
	case 0:
		tmp := path + ".tmp"
		if err := os.WriteFile(tmp, []byte(text), 0o644); err != nil {
			return err
		}
		return os.Rename(tmp, path)
	case 1:
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("replace: %w", err)
		}
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
