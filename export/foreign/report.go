package foreign

import (
	"io/fs"

	"github.com/nopezoo/zoo/export/safety"
)

// Report is Describe for people.
type Report struct {
	Problem     string   `json:"problem,omitempty"` // why the file cannot be run; nothing else is said then
	Kind        string   `json:"kind,omitempty"`    // such as "llama", where it is known
	States      []string `json:"states,omitempty"`  // "past_key_values.0.key float32[batch,8,past,64] to present.0.key"
	MaxLength   int      `json:"max_length,omitempty"`
	Vocabulary  int      `json:"vocabulary,omitempty"`
	Padding     bool     `json:"padding"` // rows of different lengths run together
	Ends        []int64  `json:"end_tokens,omitempty"`
	NoTokenizer string   `json:"no_tokenizer,omitempty"`
	Warnings    []string `json:"warnings,omitempty"` // see Model
}

// Inspect describes a file without a card.
func Inspect(m safety.Model, beside fs.FS) Report {
	d, err := Describe(m, beside)
	if err != nil {
		return Report{Problem: err.Error()}
	}
	r := Report{Kind: d.Card.Architecture, MaxLength: d.Card.MaxLength, Vocabulary: d.Contract.Vocab,
		Padding: d.Contract.Pads(), Ends: d.Ends, NoTokenizer: d.NoWords, Warnings: d.Warnings}
	for _, s := range d.Card.State {
		r.States = append(r.States, s.Input().String()+" to "+s.Present)
	}
	return r
}
