package card

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// validate checks what a reader of the card may rely on.
func (c *Card) validate() error {
	switch {
	case c.Architecture == "":
		return errors.New("architecture is empty")
	case c.Positions == "":
		return errors.New(`positions is empty: name how position ids ran in training, such as "contiguous"`)
	case c.Profile != Portable && c.Profile != Fused:
		return fmt.Errorf("profile is %q, expected %q or %q", c.Profile, Portable, Fused)
	case c.Form != Steps && c.Form != Looped:
		return fmt.Errorf("form is %q, expected none or %q: use a zoo that matches the file", c.Form, Looped)
	case c.Form == Looped && (len(c.State) > 0 || len(c.Tokenizer) == 0):
		return fmt.Errorf("form is %s with %d states and %d pieces of a tokenizer; expected no state, which is inside, "+
			"and a tokenizer, which has the end token", c.Form, len(c.State), len(c.Tokenizer))
	case c.DType != "" && !slices.Contains(narrow, c.DType):
		return fmt.Errorf("dtype is %q, expected none or %s: use a zoo that matches the file", c.DType, strings.Join(narrow, ", "))
	case c.MaxLength < 0:
		return fmt.Errorf("max_length is %d, expected 0 (no limit) or more", c.MaxLength)
	case c.Steps < 0:
		return fmt.Errorf("steps is %d, expected 0 or more", c.Steps)
	case c.FittedStep != nil && (*c.FittedStep < 0 || *c.FittedStep > c.Steps):
		return fmt.Errorf("fitted_step is %d, expected 0 (never) to steps, %d", *c.FittedStep, c.Steps)
	case c.Parameters < 0:
		return fmt.Errorf("parameters is %d, expected 0 or more", c.Parameters)
	case !finite(c.Loss):
		return fmt.Errorf("loss is %v, expected a finite number", *c.Loss)
	case !finite(c.Parity) || c.Parity != nil && *c.Parity < 0:
		return fmt.Errorf("parity is %v, expected a finite number of 0 or more", *c.Parity)
	}
	if t := c.Trained; t != (Lengths{}) && (t.Min < 1 || t.Max < t.Min) {
		return fmt.Errorf("trained lengths are %d..%d, expected 1 ≤ min ≤ max, or 0..0 for none", t.Min, t.Max)
	}
	if err := cmp.Or(checkObject("encoding_params", c.EncodingParams), checkObject("config", c.Config)); err != nil {
		return err
	}
	return errors.Join(checkPieces(c.Tokenizer), checkStates(c.State), c.Difference.validate())
}

func finite(v *float64) bool { return v == nil || !math.IsNaN(*v) && !math.IsInf(*v, 0) }

func checkObject(key string, raw json.RawMessage) error {
	trimmed := bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) > 0 && (!json.Valid(raw) || trimmed[0] != '{') {
		return fmt.Errorf("%s is not a JSON object", key)
	}
	return nil
}

func checkPieces(pieces []string) error {
	for i, p := range pieces {
		if p == "" || !utf8.ValidString(p) {
			return fmt.Errorf("tokenizer piece %d is %q, expected non-empty UTF-8", i, p)
		}
	}
	return nil
}

func checkStates(states []State) error {
	seen := map[string]bool{}
	for i, s := range states {
		if err := s.validate(); err != nil {
			return fmt.Errorf("state %d (%q): %w", i, s.Past, err)
		}
		for _, name := range []string{s.Past, s.Present} {
			if seen[name] {
				return fmt.Errorf("state %d: name %q appears twice", i, name)
			}
			seen[name] = true
		}
	}
	return nil
}
