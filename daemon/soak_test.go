package daemon

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// soaking is how much of a long test is done: a part by default, all of it with WATTD_SOAK=1 (make soak).
func soaking(part, all int) int {
	if os.Getenv("WATTD_SOAK") != "" {
		return all
	}
	return part
}

// overHTTP gets a page from a server at a Unix socket.
func overHTTP(t *testing.T, socket, path string) (string, error) {
	t.Helper()
	tr := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}}
	req, err := http.NewRequestWithContext(soon(t), http.MethodGet, "http://wattd"+path, nil)
	if err != nil {
		return "", err
	}
	r, err := tr.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return fmt.Sprintf("%d %s", r.StatusCode, b), err
}

// vitals is what a process holds.
type vitals struct {
	Heap, RSS       int64 // bytes; the heap after a collection
	Goroutines, FDs int
}

var (
	heapAlloc  = regexp.MustCompile(`(?m)^# HeapAlloc = (\d+)$`)
	goroutines = regexp.MustCompile(`^200 goroutine profile: total (\d+)`)
)

// take measures a server through its admin socket and the system.
func take(t *testing.T, e Endpoint, pid int) vitals {
	t.Helper()
	number := func(path string, re *regexp.Regexp) int64 {
		for range 2 { // the second collection frees what the first one finalised
			page, err := overHTTP(t, e.Admin, path)
			if err != nil {
				t.Fatal(err)
			}
			m := re.FindStringSubmatch(page)
			if m == nil {
				t.Fatalf("%s: %.200s", path, page)
			}
			n, _ := strconv.ParseInt(m[1], 10, 64)
			if path[len(path)-1] == '2' {
				return n
			}
			path += "&x=2"
		}
		return 0
	}
	v := vitals{Heap: number("/debug/pprof/heap?gc=1&debug=1", heapAlloc), Goroutines: int(number("/debug/pprof/goroutine?debug=1&x=2", goroutines))}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(b), &size, &resident); err != nil {
		t.Fatal(err)
	}
	v.RSS = resident * int64(os.Getpagesize())
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	v.FDs = len(fds)
	return v
}

// slope is that of the line through values at equal steps, by least squares.
func slope(y []float64) float64 {
	n := float64(len(y))
	var sx, sy, sxy, sxx float64
	for i, v := range y {
		x := float64(i)
		sx, sy, sxy, sxx = sx+x, sy+v, sxy+x*v, sxx+x*x
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
