package native

import (
	"context"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func (n *Native) registerCache() {
	rpc.Register(n.mux, api.CacheStats, n.cacheStats)
	rpc.Register(n.mux, api.CacheClear, func(ctx context.Context, p api.Empty) (api.CacheStatsResult, error) {
		if s := n.server.Store; s != nil {
			if err := s.Clear(ctx); err != nil {
				return api.CacheStatsResult{}, err
			}
		}
		return n.cacheStats(ctx, p)
	})
}

func (n *Native) cacheStats(ctx context.Context, _ api.Empty) (api.CacheStatsResult, error) {
	off := api.CacheStatsResult{Mode: "off"}
	if n.server.Store == nil {
		return off, nil
	}
	s, ok := n.server.Store.Stats(ctx)
	if !ok {
		return off, ctx.Err()
	}
	r := api.CacheStatsResult{
		Mode: "disk", Reason: s.MemoryOnly, Path: s.Dir, Bytes: s.Values + s.Blobs, Entries: s.Entries, Budget: s.Budget,
		Hits: int64(s.Hits), Misses: int64(s.Misses), Corrupt: int64(s.Corrupt), Evictions: int64(s.Evicted),
	}
	if s.MemoryOnly != "" {
		r.Mode = "memory"
	}
	return r, nil
}
