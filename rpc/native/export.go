package native

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc/api"
)

func (n *Native) exportCSV(ctx context.Context, q api.ExportCSVParams) (api.ExportResult, error) {
	return n.export(ctx, &q.Export, workspace.Export{Form: "counts"}, q.Selection)
}

func (n *Native) exportVCD(ctx context.Context, q api.ExportVCDParams) (api.ExportResult, error) {
	return n.export(ctx, &q.Export, workspace.Export{Form: "vcd"}, q.Selection)
}

func (n *Native) exportSAIF(ctx context.Context, q api.ExportSAIFParams) (api.ExportResult, error) {
	return n.export(ctx, &q.Export, workspace.Export{Form: "saif", Dialect: q.Dialect, IG: q.IG}, api.Selection{})
}

func (n *Native) export(ctx context.Context, q *api.Export, x workspace.Export, sel api.Selection) (r api.ExportResult, err error) {
	if q.Path == "" || q.Path == "-" {
		return r, api.Errorf(api.BadRequest, "an export needs the path of a file")
	}
	if (q.From != nil || q.To != nil) && x.Form == "vcd" {
		return r, api.Errorf(api.BadRequest, "a VCD file is of the whole run; net/waveform has the events of an interval")
	}
	if workspace.Compressed(q.Path) {
		return r, api.Errorf(api.BadRequest, "%s: exports are not compressed; choose another name", q.Path)
	}
	if r.Path, err = sessionOf(ctx).path(q.Path); err != nil {
		return r, err
	}
	if st, err := os.Stat(r.Path); err == nil && (!q.Overwrite || !st.Mode().IsRegular()) {
		e := api.Errorf(api.FileError, "%s is there already", r.Path)
		e.Data.Path, e.Data.Hint = r.Path, "choose another path, or set overwrite for a file"
		return r, e
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, api.Errorf(api.FileError, "%v", err)
	}
	v, err := n.take(ctx, q.Target)
	if err != nil {
		return r, err
	}
	if err := v.stimulus(q.Stimulus); err != nil {
		return r, err
	}
	if q.From != nil || q.To != nil {
		if x.Table, x.Cut, err = counts(ctx, v, &q.Source); err != nil {
			return r, n.asError(err)
		}
	}
	s := selection(sel)
	nets, err := v.s.Nets(ctx, s)
	if err != nil {
		return r, n.asError(err)
	}
	if x.All = s.All(); !x.All {
		x.Nets = nets
	}
	if r.Bytes, r.Blake3, err = v.s.Write(ctx, r.Path, x); err != nil {
		return r, n.asError(err)
	}
	r.Nets, r.Meta = int64(len(nets)), v.meta()
	return r, nil
}
