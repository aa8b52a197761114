package eval

import "fmt"

// MaxResults is the largest file of results that is read, in bytes: a million rows.
const MaxResults = 1 << 30

// maxText bounds every name and reason in a row, in bytes: tables are laid out by
// their longest name, so one that fills a line would take minutes.
const maxText = 1 << 12

func (r *Row) checkTexts() error {
	for _, f := range []struct{ key, text string }{
		{"model", r.Model}, {"model_sha256", r.ModelSHA256}, {"provider", r.Provider}, {"machine", r.Machine}, {"adapter", r.Adapter},
		{"ort_version", r.ORTVersion}, {"tool_version", r.ToolVersion},
		{"architecture", r.Architecture}, {"encoding", r.Encoding}, {"positions", r.Positions}, {"profile", r.Profile},
		{"dtype", r.DType},
		{"intervention", r.Intervention}, {"config_hash", r.ConfigHash},
		{"task", r.Task}, {"split", r.Split}, {"reason", r.Reason},
	} {
		if len(f.text) > maxText {
			return fmt.Errorf("%s has %d bytes, expected at most %d: %.40q…", f.key, len(f.text), maxText, f.text)
		}
	}
	return nil
}
