package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
)

// mostEnds is how many windows a row has the ends of at most.
const mostEnds = 4096

// windowEnds are the last Stride tokens of each window, in the order in which windows were drawn. Rows of the same Texts
// read the same texts there, whatever the models, their tokens and the windows' length: so their bits can be compared
// window by window.
type windowEnds struct {
	Texts string    `json:"texts"`           // hash of the windows' texts
	Bits  []float64 `json:"bits"`            // of each window, to a thousandth
	Bytes []int     `json:"bytes,omitempty"` // of each window's text; absent where all have as many
}

// textEnds makes them of what was tallied, and the texts; nil of too many.
func textEnds(ends []tallied, texts []string) *windowEnds {
	if len(ends) > mostEnds {
		return nil
	}
	out := &windowEnds{}
	for _, w := range ends {
		out.Bits = append(out.Bits, math.Round(1000*w.nats/math.Ln2)/1000)
		out.Bytes = append(out.Bytes, w.bytes)
	}
	if len(slices.Compact(slices.Clone(out.Bytes))) == 1 {
		out.Bytes = nil
	}
	hash := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(hash, "%d %s", len(text), text)
	}
	out.Texts = hex.EncodeToString(hash.Sum(nil)[:6])
	return out
}

// check is what readers rely on, of the ends of a row's windows.
func (e *windowEnds) check(s *TextScore) error {
	if len(e.Bits) != s.N || len(e.Bytes) != 0 && len(e.Bytes) != s.N || e.Texts == "" {
		return fmt.Errorf("ends of %d windows with %d lengths, of the texts %q: want %d windows", len(e.Bits), len(e.Bytes), e.Texts, s.N)
	}
	bits, bytes := 0.0, 0
	for _, v := range e.Bits {
		if !(v >= 0 && v <= mostOfAnything) {
			return fmt.Errorf("the end of a window has %v bits", v)
		}
		bits += v
	}
	for _, n := range e.Bytes {
		if n < 0 || float64(n) > mostOfAnything {
			return fmt.Errorf("the end of a window has %d bytes", n)
		}
		bytes += n
	}
	if e.Bytes == nil {
		bytes = s.SlidingN
	}
	if mean := bits / float64(s.SlidingN); bytes != s.SlidingN || !(math.Abs(mean-s.Sliding) <= 1e-3*(1+s.Sliding)) {
		return fmt.Errorf("ends of windows have %d bytes and %v bits per byte, the row has %d and %v", bytes, mean, s.SlidingN, s.Sliding)
	}
	return nil
}
