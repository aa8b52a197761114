package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/runtime"
)

// A pretrained model takes as many tokens as it declares, and with Beyond more, where its encoding has them: with the same
// logits as far as both go. A model with a table that ends is not opened so, and a file may be written without the limit.
func TestBeyond(t *testing.T) {
	declared := func(encoding string, change func(*card.Card)) []byte {
		data, err := spec{encoding: encoding, change: func(c *card.Card) {
			c.Tokenizer, c.Pretrained = nil, &card.Pretrained{Family: "llama", DeclaredLength: 6}
			if change != nil {
				change(c)
			}
		}}.build()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	open := func(data []byte, beyond bool) *runtime.Session {
		s, err := runtime.OpenBytes(data, runtime.Options{Provider: "go", Beyond: beyond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	row := []int64{4, 7, 9, 12, 30, 2, 5, 8, 3}
	for _, encoding := range []string{"rope", "alibi", "nope"} {
		s := open(declared(encoding, nil), false)
		if _, err := s.Logits(t.Context(), [][]int64{row}); !errors.Is(err, runtime.ErrTooLong) || !strings.Contains(err.Error(), "beyond lets") {
			t.Errorf("%s: error %v", encoding, err)
		}
		if s.Info().Card.MaxLength != 6 {
			t.Errorf("%s: the model has %d positions", encoding, s.Info().Card.MaxLength)
		}
		for name, longer := range map[string]*runtime.Session{
			"beyond":         open(declared(encoding, nil), true),
			"written so":     open(declared(encoding, func(c *card.Card) { c.Pretrained.Beyond = true }), false),
			"trained on":     open(declared(encoding, func(c *card.Card) { c.Trained = card.Lengths{Min: 1, Max: 99} }), false),
			"declares none":  open(declared(encoding, func(c *card.Card) { c.Pretrained.DeclaredLength = 0 }), false),
			"not pretrained": open(declared(encoding, func(c *card.Card) { c.Pretrained = nil }), true),
		} {
			if got, err := longer.Logits(t.Context(), [][]int64{row}); err != nil || got[0].Shape()[0] != len(row) || longer.Info().Card.MaxLength != 0 {
				t.Errorf("%s, %s: %v, limit %d", encoding, name, err, longer.Info().Card.MaxLength)
			}
		}
	}
	_, err := runtime.OpenBytes(declared("learned", nil), runtime.Options{Provider: "go", Beyond: true})
	if err == nil || !strings.Contains(err.Error(), "beyond: the encoding learned ends at") {
		t.Errorf("learned positions: error %v", err)
	}
}
