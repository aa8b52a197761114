package task

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/nopezoo/zoo/internal/suggest"
)

// Formats lists the formats of Write.
func Formats() []string { return []string{"text", "jsonl"} }

// Write writes one sample: "text" is prompt, tab and target, and "jsonl" a line of JSON. split is what the sample was
// drawn from, 0 if it was not drawn; the line then says which split it is in.
func (t Task) Write(w io.Writer, format string, s Sample, split Split) error {
	switch format {
	case "text":
		_, err := fmt.Fprintf(w, "%s\t%s\n", s.Prompt, s.Target)
		return err
	case "jsonl":
		from := ""
		if split.Valid() {
			from = t.SplitAt(s.Length, split).String()
		}
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(struct {
			Task   string `json:"task"`
			Length int    `json:"length"`
			Split  string `json:"split,omitempty"`
			Prompt string `json:"prompt"`
			Target string `json:"target"`
		}{t.Name, s.Length, from, s.Prompt, s.Target})
	}
	return suggest.Unknown("format", format, Formats())
}
