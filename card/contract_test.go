package card_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
)

// keys is a growing state of two heads of eight.
func keys() card.State {
	s := card.LayerState(0, card.Keys)
	s.Shape, s.Kind, s.Axis = []string{card.Batch, "2", card.Past, "8"}, card.Growing, 2
	return s
}

// inPlace is the same in a buffer of fixed capacity.
func inPlace() card.State {
	s := keys()
	s.Shape[2], s.Kind = card.Room, card.InPlace
	return s
}

// window is what a layer keeps of keys whose queries see eight.
func window() card.State {
	s := keys()
	s.Shape[2], s.Kind, s.Axis = "7", card.Rewritten, 0
	return s
}

// recurrent is a state of five numbers that is rewritten.
func recurrent() card.State {
	s := card.LayerState(1, "state")
	s.Shape = []string{card.Batch, "5"}
	return s
}

func TestState(t *testing.T) {
	for _, tc := range []struct {
		state         card.State
		past, present string // as ports
		before, after []int
		bytes, held   float64
	}{
		{keys(), "past_key_values.0.key float32[batch,2,past,8]", "present.0.key float32[batch,2,past+seq,8]",
			[]int{3, 2, 0, 8}, []int{3, 2, 7, 8}, 4 * 3 * 2 * 7 * 8, 2 * 4 * 3 * 2 * 7 * 8},
		{inPlace(), "past_key_values.0.key float32[batch,2,capacity,8]", "present.0.key float32[batch,2,capacity,8]",
			[]int{3, 2, 0, 8}, []int{3, 2, 7, 8}, 4 * 3 * 2 * 7 * 8, 4 * 3 * 2 * 7 * 8},
		{window(), "past_key_values.0.key float32[batch,2,7,8]", "present.0.key float32[batch,2,7,8]",
			[]int{3, 2, 7, 8}, []int{3, 2, 7, 8}, 4 * 3 * 2 * 7 * 8, 2 * 4 * 3 * 2 * 7 * 8},
		{recurrent(), "past.1.state float32[batch,5]", "present.1.state float32[batch,5]",
			[]int{3, 5}, []int{3, 5}, 4 * 3 * 5, 2 * 4 * 3 * 5},
	} {
		s := tc.state
		if in, out := s.Input().String(), s.Output().String(); in != tc.past || out != tc.present {
			t.Errorf("ports are %s and %s, want %s and %s", in, out, tc.past, tc.present)
		}
		if before, after := s.AppendDims(nil, 3, 0), s.AppendDims(nil, 3, 7); !slices.Equal(before, tc.before) || !slices.Equal(after, tc.after) {
			t.Errorf("%s: dims %v, then %v; want %v, then %v", s.Past, before, after, tc.before, tc.after)
		}
		if bytes, held := s.Bytes(3, 7); bytes != tc.bytes || held != tc.held {
			t.Errorf("%s: %v bytes, %v held; want %v, %v", s.Past, bytes, held, tc.bytes, tc.held)
		}
	}
}

// ports are what a decoder's file with an extra output declares, not in the contract's order.
func ports() (inputs, outputs []card.Port) {
	return []card.Port{card.LogitsToKeep, keys().Input(), card.AttentionMask, card.InputIDs},
		[]card.Port{{Name: card.Attentions(0), DType: card.Float32}, keys().Output(),
			{Name: card.Logits.Name, DType: card.Float32, Shape: []string{card.Batch, card.Kept, "6"}}}
}

func TestContract(t *testing.T) {
	c := card.Card{Positions: "random", State: []card.State{keys()}} // without position ids, positions do not matter
	inputs, outputs := ports()
	got, err := c.Contract(inputs, outputs)
	if err != nil {
		t.Fatal(err)
	}
	want := card.Contract{Inputs: inputs, IDs: 3, Mask: 2, Positions: -1, Slots: -1, Keep: 0, MaxNew: -1, States: []int{1},
		Outputs: []card.Port{outputs[2], outputs[1]}, Vocab: 6}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("contract (-want +got):\n%s", diff)
	}

	c.State, inputs[1], outputs[1] = []card.State{inPlace()}, inPlace().Input(), inPlace().Output()
	if _, err := c.Contract(inputs, outputs); err == nil || !strings.Contains(err.Error(), "cache_position") {
		t.Errorf("a state in place without slots: error %v", err)
	}
	got, err = c.Contract(append(inputs, card.CachePosition), outputs)
	if err != nil || got.Slots != 4 {
		t.Errorf("a state in place: slots are input %d, error %v", got.Slots, err)
	}
	values := keys()
	values.Past, values.Present = "past_key_values.0.value", "present.0.value"
	c.State = append(c.State, values)
	_, err = c.Contract(append(inputs, card.CachePosition, values.Input()), append(outputs, values.Output()))
	if err == nil || !strings.Contains(err.Error(), "one mask cannot cover both") {
		t.Errorf("states of both kinds: error %v", err)
	}
	c.State, inputs[1], outputs[1] = []card.State{keys()}, keys().Input(), keys().Output()
	if _, err := c.Contract(append(inputs, card.CachePosition), outputs); err == nil ||
		!strings.Contains(err.Error(), "does not read cache_position") {
		t.Errorf("slots with a state that grows: error %v", err)
	}
	c.State, inputs[1], outputs[1] = []card.State{window()}, window().Input(), window().Output()
	if got, err = c.Contract(append(inputs, card.CachePosition), outputs); err != nil || got.Slots != 4 {
		t.Errorf("a window: slots are input %d, error %v", got.Slots, err)
	}

	one := card.Port{Name: card.InputIDs.Name, DType: card.Int64, Shape: []string{card.Batch, "1"}}
	mask := card.Port{Name: card.AttentionMask.Name, DType: card.Int64, Shape: one.Shape}
	c = card.Card{Positions: card.Contiguous, State: []card.State{recurrent()}, Tokenizer: make([]string, 9)}
	got, err = c.Contract([]card.Port{one, mask, card.PositionIDs, recurrent().Input()}, []card.Port{card.Logits, recurrent().Output()})
	if err != nil {
		t.Fatal(err)
	}
	for _, c.Positions = range []string{card.Offset, card.Randomized} { // in training; they are fed as the others
		again, err := c.Contract(got.Inputs, []card.Port{card.Logits, recurrent().Output()})
		if diff := cmp.Diff(got, again); err != nil || diff != "" {
			t.Errorf("%s positions: %v, contract (-contiguous +these):\n%s", c.Positions, err, diff)
		}
	}
	if !got.OneToken || !got.MaskNew || got.Positions != 2 || got.Keep != -1 || got.Vocab != 9 {
		t.Errorf("a recurrent model has the contract %+v", got)
	}
}

func TestContractErrors(t *testing.T) {
	for _, tc := range []struct {
		reason string
		change func(inputs, outputs []card.Port)
		want   string
	}{
		{"no ids", func(in, _ []card.Port) { in[3].Name = "ids" }, "no input input_ids or no output logits"},
		{"no logits", func(_, out []card.Port) { out[2].Name = "scores" }, "no input input_ids or no output logits"},
		{"type", func(in, _ []card.Port) { in[3].DType = "float32" }, "input_ids float32[batch,seq] of the model does not fit input_ids int64[batch,seq]"},
		{"rank", func(in, _ []card.Port) { in[2].Shape = []string{"batch"} }, "attention_mask int64[batch] of the model does not fit"},
		{"length", func(in, _ []card.Port) { in[0].Shape = []string{"2"} }, "logits_to_keep int64[2] of the model does not fit logits_to_keep int64[1]"},
		{"fixed length", func(in, _ []card.Port) { in[3].Shape = []string{"batch", "8"} }, "fixed length other than 1"},
		{"logits", func(_, out []card.Port) { out[2].DType = "float16" }, "logits float16[batch,logits_to_keep,6] of the model does not fit"},
		{"endless vocabulary", func(_, out []card.Port) { out[2].Shape[2] = "16777217" }, "gives 16777217 logits; supported are 16777216"},
		{"no vocabulary", func(_, out []card.Port) { out[2].Shape[2] = "vocab" }, "gives 0 logits"},
		{"state's type", func(in, _ []card.Port) { in[1].DType = "float16" }, "state past_key_values.0.key of the card: past_key_values.0.key float16"},
		{"state's output", func(_, out []card.Port) { out[1].Shape = []string{"batch", "3", "all", "8"} }, "present.0.key float32[batch,3,all,8] of the model does not fit present.0.key float32[batch,2,past+seq,8]"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			inputs, outputs := ports()
			tc.change(inputs, outputs)
			_, err := card.Card{Positions: card.Contiguous, State: []card.State{keys()}}.Contract(inputs, outputs)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v does not contain %q", err, tc.want)
			}
		})
	}
}

// answers is the card of a file that answers whole prompts, and what that declares.
func answers() (c card.Card, inputs, outputs []card.Port) {
	c = card.Card{Form: card.Looped, Tokenizer: make([]string, 5)}
	return c, []card.Port{card.MaxNew, card.AttentionMask, card.InputIDs}, []card.Port{card.OutputLengths, card.OutputIDs}
}

func TestAnswersContract(t *testing.T) {
	c, inputs, outputs := answers()
	got, err := c.Contract(inputs, outputs)
	if err != nil {
		t.Fatal(err)
	}
	want := card.Contract{Inputs: inputs, IDs: 2, Mask: 1, Positions: -1, Slots: -1, Keep: -1, MaxNew: 0,
		Outputs: []card.Port{card.OutputIDs, card.OutputLengths}, Vocab: 5}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("contract (-want +got):\n%s", diff)
	}
	for want, change := range map[string]func(inputs, outputs []card.Port){
		"no input max_new":         func(in, _ []card.Port) { in[0].Name = "n" },
		"no input attention_mask":  func(in, _ []card.Port) { in[1].Name = "mask" },
		"no output output_ids":     func(_, out []card.Port) { out[1].Name = "ids" },
		"no output output_lengths": func(_, out []card.Port) { out[0].Name = "lengths" },
		"max_new int64[3] of the model does not fit max_new int64[1]": func(in, _ []card.Port) { in[0].Shape = []string{"3"} },
		"output_ids float32": func(_, out []card.Port) { out[1].DType = card.Float32 },
	} {
		c, inputs, outputs := answers()
		change(inputs, outputs)
		if _, err := c.Contract(inputs, outputs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not contain %q", err, want)
		}
	}
	if _, err := c.Contract(append(inputs, card.PositionIDs), outputs); err == nil || !strings.Contains(err.Error(), "4 inputs") {
		t.Errorf("another input: error %v", err)
	}
}
