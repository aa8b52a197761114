package task

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/nopezoo/zoo/internal/suggest"
)

// Write writes one sample: "text" is prompt, tab and target, and "jsonl" a line of JSON. split is what the sample was
// drawn from, "" if it was not drawn; the line then says which split it is in.
func (t Task) Write(w io.Writer, format string, s Sample, split Split) error {
	switch format {
	case "text":
		_, err := fmt.Fprintf(w, "%s\t%s\n", s.Prompt, s.Target)
		return err
	case "jsonl":
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(struct {
			Task   string `json:"task"`
			Length int    `json:"length"`
			Split  Split  `json:"split,omitempty"`
			Prompt string `json:"prompt"`
			Target string `json:"target"`
		}{t.Name, s.Length, t.splitAt(s.Length, split), s.Prompt, s.Target})
	}
	return suggest.Unknown("format", format, []string{"text", "jsonl"})
}
