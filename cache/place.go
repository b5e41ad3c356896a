package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// DefaultDir is where a store belongs: $WATTD_CACHE_DIR, else the user's cache directory if that is on a local disk (homes
// often are not), else /var/tmp/wattd-UID.
func DefaultDir() string {
	return defaultDir(os.Getenv("WATTD_CACHE_DIR"), os.UserCacheDir, statVolume)
}

func defaultDir(chosen string, userCache func() (string, error), stat func(string) (volume, error)) string {
	if chosen != "" {
		return chosen
	}
	if dir, err := userCache(); err == nil {
		if vol, err := nearestVolume(dir, stat); err == nil && vol.network == "" {
			return filepath.Join(dir, "wattd")
		}
	}
	return filepath.Join("/var/tmp", "wattd-"+strconv.Itoa(os.Getuid()))
}

// nearestVolume asks for the file system that dir is on, or would be on.
func nearestVolume(dir string, stat func(string) (volume, error)) (volume, error) {
	for {
		vol, err := stat(dir)
		up := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || up == dir {
			return vol, err
		}
		dir = up
	}
}
