package daemon

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wattd/wattd/rpc/api"
)

// release is what git describe says of a release and of what follows it: v1.2.3, v1.2.3-4-g0123abc.
var release = regexp.MustCompile(`^v?(\d+(?:\.\d+)*)(?:-(\d+)-g[0-9a-f]+)?(?:-dirty)?$`)

// newer says whether a client of one version should take the place of a server of another. Of builds that have no number nobody knows
// which is the newer one, and who built the client last wants that.
func newer(client, server string) bool {
	a, okA := numbers(client)
	b, okB := numbers(server)
	if okA && okB {
		return slices.Compare(a, b) > 0
	}
	return client != server
}

// numbers are those of a version, which compare as it does: the parts of the release, then how many commits follow it.
func numbers(version string) (n []int, ok bool) {
	m := release.FindStringSubmatch(version)
	if m == nil {
		return nil, false
	}
	parts := append(strings.Split(m[1], "."), "0", "0")[:max(3, strings.Count(m[1], ".")+1)]
	for _, p := range append(parts, cmp.Or(m[2], "0")) {
		v, err := strconv.Atoi(p)
		if err != nil {
			return nil, false
		}
		n = append(n, v)
	}
	return n, true
}

// agree refuses a server that speaks another major of the protocol, naming both programs.
func agree(version string, hello *api.InitializeResult) error {
	if hello.Protocol.Major == api.Protocol.Major {
		return nil
	}
	return api.Errorf(api.VersionMismatch, "%s %s speaks protocol %d.%d, this client, wattd %s, speaks %d.%d", cmp.Or(hello.ServerInfo.Name, "the server"),
		hello.ServerInfo.Version, hello.Protocol.Major, hello.Protocol.Minor, version, api.Protocol.Major, api.Protocol.Minor)
}
