package card_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
)

// TestBounds has what is just taken, and just not.
func TestBounds(t *testing.T) {
	accuracy := func(change func(a *card.Accuracy)) func(c *card.Card) {
		return func(c *card.Card) {
			a := card.Accuracy{Task: "copy", Length: 1, N: 1}
			change(&a)
			c.Difference = &card.Difference{Accuracy: []card.Accuracy{a}}
		}
	}
	const miscounted = "an accuracy lacks a task or a length, or counts more than there are prompts"
	for _, tc := range []struct {
		name   string
		change func(c *card.Card)
		want   string // the error
	}{
		{"fitted never", func(c *card.Card) { c.FittedStep = new(0) }, ""},
		{"fitted at the end", func(c *card.Card) { c.FittedStep = new(c.Steps) }, ""},
		{"fitted after it", func(c *card.Card) { c.FittedStep = new(c.Steps + 1) }, "fitted_step is 3001, expected 0 (never) to steps, 3000"},
		{"no steps", func(c *card.Card) { c.Steps, c.FittedStep = 0, nil }, ""},
		{"no parameters", func(c *card.Card) { c.Parameters = 0 }, ""},
		{"parity 0", func(c *card.Card) { c.Parity = new(0.0) }, ""},
		{"parity below 0", func(c *card.Card) { c.Parity = new(-1e-9) }, "parity is -1e-09"},
		{"loss -Inf", func(c *card.Card) { c.Loss = new(math.Inf(-1)) }, "loss is -Inf"},
		{"loss below 0", func(c *card.Card) { c.Loss = new(-1.0) }, ""},
		{"length 1", func(c *card.Card) { c.Trained = card.Lengths{Min: 1, Max: 1} }, ""},
		{"from length 0", func(c *card.Card) { c.Trained = card.Lengths{Min: 0, Max: 1} }, "trained lengths are 0..1"},
		{"to length 0", func(c *card.Card) { c.Trained = card.Lengths{Min: 1, Max: 0} }, "trained lengths are 1..0"},
		{"no lengths", func(c *card.Card) { c.Trained = card.Lengths{} }, ""},
		{"no limit", func(c *card.Card) { c.MaxLength = 0 }, ""},
		{"data seed 0", func(c *card.Card) { c.DataSeed = 0 }, ""},
		{"data seed 1", func(c *card.Card) { c.DataSeed = 1 }, ""},
		{"data seed, largest", func(c *card.Card) { c.DataSeed = math.MaxUint64 }, ""},
		{"answers with one state", func(c *card.Card) { c.Form, c.State = card.Looped, c.State[:1] }, "form is answers with 1 states"},
		{"answers of one piece", func(c *card.Card) { c.Form, c.State, c.Tokenizer = card.Looped, nil, c.Tokenizer[:1] }, ""},
		{"state of no elements", func(c *card.Card) { c.State[1].Shape[1] = "0" }, ""},
		{"state of float16", func(c *card.Card) { c.State[1].DType, c.State[1].Initial = card.Float16, 0 }, ""},
		{"state of float16, not 0 at first", func(c *card.Card) { c.State[1].DType = card.Float16 }, "initial is -0.5 for a state of float16"},
		{"state of another type", func(c *card.Card) { c.State[1].DType = card.BFloat16 }, `dtype is "bfloat16"`},
		{"axis before the first", func(c *card.Card) { c.State[0].Axis = -1 }, "growing axis -1 is outside the shape's 4 axes"},
		{"the last axis grows", func(c *card.Card) { c.State[0].Shape[2], c.State[0].Shape[3], c.State[0].Axis = "9", "past", 3 }, ""},
		{"no difference", func(c *card.Card) { c.Difference = nil }, ""},
		{"a difference of 0", func(c *card.Card) { c.Difference = &card.Difference{} }, ""},
		{"logit below 0", func(c *card.Card) { c.Difference.Logit = -0.1 }, "difference is -0.1"},
		{"relative below 0", func(c *card.Card) { c.Difference.Relative = -0.2 }, "difference is -0.2"},
		{"relative NaN", func(c *card.Card) { c.Difference.Relative = math.NaN() }, "difference is NaN"},
		{"none correct", accuracy(func(*card.Accuracy) {}), ""},
		{"all correct", accuracy(func(a *card.Accuracy) { a.Correct, a.Float32 = 1, 1 }), ""},
		{"no task", accuracy(func(a *card.Accuracy) { a.Task = "" }), miscounted},
		{"length 0 of a task", accuracy(func(a *card.Accuracy) { a.Length = 0 }), miscounted},
		{"no prompts", accuracy(func(a *card.Accuracy) { a.N = 0 }), miscounted},
		{"fewer than none", accuracy(func(a *card.Accuracy) { a.Correct = -1 }), miscounted},
		{"fewer than none of float32", accuracy(func(a *card.Accuracy) { a.Float32 = -1 }), miscounted},
		{"more than all", accuracy(func(a *card.Accuracy) { a.Correct = 2 }), miscounted},
		{"more than all of float32", accuracy(func(a *card.Accuracy) { a.Float32 = 2 }), miscounted},
	} {
		c := full()
		tc.change(&c)
		m, err := c.Metadata()
		if tc.want != "" {
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: error is %v, want %q", tc.name, err, tc.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if back, err := card.Parse(m); err != nil || back.DataSeed != c.DataSeed {
			t.Errorf("%s: %v, data seed %d, want %d", tc.name, err, back.DataSeed, c.DataSeed)
		}
	}
}

// TestSchemaVersions: a version is two numbers in decimal of less than 2^31.
func TestSchemaVersions(t *testing.T) {
	for version, want := range map[string]string{
		"1.0": "", "1.2147483647": "", "1.2147483648": "expected a version", "2147483648.0": "expected a version",
		"2147483647.0": "this program reads version 1.x", "1.a": "expected a version", "a.0": "expected a version",
		"10.0": "this program reads version 1.x", "0.0": "this program reads version 1.x", "": "expected a version",
	} {
		m, err := full().Metadata()
		if err != nil {
			t.Fatal(err)
		}
		m["zoo.schema"] = version
		_, err = card.Parse(m)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want %q", version, err, want)
		}
	}
}

// TestContractBounds has sizes that are just taken, and ports in the first place.
func TestContractBounds(t *testing.T) {
	vocab := func(n int) card.Port {
		return card.Port{Name: card.Logits.Name, DType: card.Float32, Shape: []string{card.Batch, card.Kept, fmt.Sprint(n)}}
	}
	recurrent := func(shape ...string) card.State {
		s := card.LayerState(0, "state")
		s.Shape = shape
		return s
	}
	growing := func(length string) card.State {
		s := keys()
		s.Shape = []string{card.Batch, card.Past, length}
		s.Axis = 1
		return s
	}
	with := func(s card.State, inputs ...card.Port) (card.Card, []card.Port, []card.Port) {
		return card.Card{State: []card.State{s}, Tokenizer: make([]string, 2)}, append(inputs, card.InputIDs, s.Input()),
			[]card.Port{vocab(2), s.Output()}
	}
	const largest = "268435456"
	for _, tc := range []struct {
		name string
		ask  func() (card.Card, []card.Port, []card.Port)
		want string
	}{
		{"largest vocabulary", func() (card.Card, []card.Port, []card.Port) {
			return card.Card{}, []card.Port{card.InputIDs}, []card.Port{vocab(1 << 24)}
		}, ""},
		{"vocabulary too large", func() (card.Card, []card.Port, []card.Port) {
			return card.Card{}, []card.Port{card.InputIDs}, []card.Port{vocab(1<<24 + 1)}
		}, "gives 16777217 logits; supported are 16777216"},
		{"one token", func() (card.Card, []card.Port, []card.Port) {
			return card.Card{}, []card.Port{card.InputIDs}, []card.Port{vocab(1)}
		}, ""},
		{"no token", func() (card.Card, []card.Port, []card.Port) {
			return card.Card{}, []card.Port{card.InputIDs}, []card.Port{vocab(0)}
		}, "gives 0 logits"},
		{"as many pieces as logits", func() (card.Card, []card.Port, []card.Port) {
			return card.Card{Tokenizer: make([]string, 7)}, []card.Port{card.InputIDs}, []card.Port{vocab(7)}
		}, ""},
		{"more pieces than logits", func() (card.Card, []card.Port, []card.Port) {
			return card.Card{Tokenizer: make([]string, 8)}, []card.Port{card.InputIDs}, []card.Port{vocab(7)}
		}, "gives 7 logits, the card's tokenizer has 8 pieces"},
		{"largest state", func() (card.Card, []card.Port, []card.Port) { return with(recurrent(card.Batch, largest)) }, ""},
		{"largest state in two axes", func() (card.Card, []card.Port, []card.Port) {
			return with(recurrent(card.Batch, "16384", "16384"))
		}, ""},
		{"largest state that grows", func() (card.Card, []card.Port, []card.Port) { return with(growing(largest)) }, ""},
		{"largest axis of an empty state", func() (card.Card, []card.Port, []card.Port) {
			return with(recurrent(card.Batch, "0", largest))
		}, ""},
		{"state too large", func() (card.Card, []card.Port, []card.Port) { return with(recurrent(card.Batch, "268435457")) },
			"has more than 268435456 elements for each row"},
		{"state too large in two axes", func() (card.Card, []card.Port, []card.Port) {
			return with(recurrent(card.Batch, "16385", "16384"))
		}, "has more than 268435456 elements for each row"},
		{"state far too large", func() (card.Card, []card.Port, []card.Port) {
			return with(recurrent(card.Batch, "9223372036854775807", "9223372036854775807"))
		}, "has more than 268435456 elements for each row"},
		{"slots first, of a state in place", func() (card.Card, []card.Port, []card.Port) {
			return with(inPlace(), card.CachePosition)
		}, ""},
		{"slots first, of a state that grows", func() (card.Card, []card.Port, []card.Port) {
			return with(keys(), card.CachePosition)
		}, "does not read cache_position"},
	} {
		c, inputs, outputs := tc.ask()
		_, err := c.Contract(inputs, outputs)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error is %v, want %q", tc.name, err, tc.want)
		}
	}
}

// TestMaskNew: whether a mask covers new tokens only is read off its length, wherever it stands.
func TestMaskNew(t *testing.T) {
	logits := card.Port{Name: card.Logits.Name, DType: card.Float32, Shape: []string{card.Batch, card.Kept, "6"}}
	mask := func(length string) card.Port {
		return card.Port{Name: card.AttentionMask.Name, DType: card.Int64, Shape: []string{card.Batch, length}}
	}
	for _, tc := range []struct {
		inputs []card.Port
		want   bool
		pads   bool
	}{
		{[]card.Port{mask(card.Seq), card.InputIDs}, true, true},
		{[]card.Port{mask("1"), card.InputIDs}, true, true},
		{[]card.Port{mask("past+seq"), card.InputIDs}, false, true},
		{[]card.Port{card.InputIDs, mask(card.Seq)}, true, true},
		{[]card.Port{card.InputIDs}, false, false},
	} {
		k, err := card.Card{}.Contract(tc.inputs, []card.Port{logits})
		if pads := k.Mask >= 0 && !k.Unpadded; err != nil || k.MaskNew != tc.want || pads != tc.pads {
			t.Errorf("%v: the mask covers new tokens only: %v, rows are padded: %v, error %v", tc.inputs, k.MaskNew, pads, err)
		}
	}
}
