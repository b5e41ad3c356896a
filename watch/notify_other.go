//go:build !linux

package watch

import "errors"

func notify(*hints) (notifier, error) {
	return nil, errors.New("events are used on Linux only")
}
