package task

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/internal/lists"
)

// Span is what samples that are measured together have for a length: one length, where
// Min is Max, or a bin, of which each sample has some length. Tables, charts and ranks
// have it where they have lengths: a bin is none of its lengths, and no other bin. The
// zero Span is none.
type Span struct{ Min, Max int }

// At is the span of one length.
func At(length int) Span { return Span{length, length} }

// Spans are of single lengths.
func Spans(lengths ...int) []Span {
	return lists.Map(lengths, At)
}

// IsBin reports whether samples have several lengths.
func (s Span) IsBin() bool { return s.Min != s.Max }

// Middle is where the span stands on an axis of lengths.
func (s Span) Middle() float64 { return float64(s.Min+s.Max) / 2 }

// Compare orders spans by their middles, and spans of one middle by where they begin.
func (s Span) Compare(o Span) int {
	return cmp.Or(cmp.Compare(s.Min+s.Max, o.Min+o.Max), cmp.Compare(s.Min, o.Min))
}

// String returns the span as ParseSpans reads it: "20", or "51-100" for a bin.
func (s Span) String() string { return s.join("-") }

// Label is the span for people: "20", or "51–100".
func (s Span) Label() string { return s.join("–") }

func (s Span) join(dash string) string {
	if !s.IsBin() {
		return strconv.Itoa(s.Max)
	}
	return fmt.Sprintf("%d%s%d", s.Min, dash, s.Max)
}

// MarshalJSON implements json.Marshaler: 20, or "51-100".
func (s Span) MarshalJSON() ([]byte, error) {
	if !s.IsBin() {
		return json.Marshal(s.Max)
	}
	return json.Marshal(s.String())
}

// SortSpans puts spans in order, each once.
func SortSpans(all []Span) []Span {
	slices.SortFunc(all, Span.Compare)
	return slices.Compact(all)
}
