package runtime

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestPenalties compares changed logits with numbers computed by hand.
func TestPenalties(t *testing.T) {
	model := []float32{4, 2, -2, 1, 0, -8}
	prompt := []int64{0, 2}
	answer := []int64{1, 2, 1, 1} // so far
	inf := float32(math.Inf(-1))
	for _, tt := range []struct {
		name string
		opt  Sampling
		want []float32
	}{
		{"nothing", Sampling{}, model},
		{"nothing, in words", Sampling{RepetitionPenalty: 1, LogitBias: map[int64]float64{}}, model},
		{"repetition: prompt and answer", Sampling{RepetitionPenalty: 2}, []float32{2, 1, -4, 1, 0, -8}},
		{"repetition is wanted", Sampling{RepetitionPenalty: .5}, []float32{8, 4, -1, 1, 0, -8}},
		{"presence: the answer alone", Sampling{PresencePenalty: .5}, []float32{4, 1.5, -2.5, 1, 0, -8}},
		{"frequency: each time", Sampling{FrequencyPenalty: .5}, []float32{4, .5, -2.5, 1, 0, -8}},
		{"both", Sampling{FrequencyPenalty: .5, PresencePenalty: -1}, []float32{4, 1.5, -1.5, 1, 0, -8}},
		{"bias", Sampling{LogitBias: map[int64]float64{3: 100, 5: math.Inf(-1)}}, []float32{4, 2, -2, 101, 0, inf}},
		{"repetition first", Sampling{RepetitionPenalty: 2, FrequencyPenalty: 1, LogitBias: map[int64]float64{1: 1, 2: 10}},
			[]float32{2, -1, 5, 1, 0, -8}},
	} {
		p := newPenalties(tt.opt, prompt)
		for _, id := range answer {
			p.note(id)
		}
		for range 2 { // a second time, in the same memory
			logits := slices.Clone(model)
			got, err := p.change(logits)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%s: logits %v (%v), want %v", tt.name, got, err, tt.want)
			}
			if !slices.Equal(logits, model) {
				t.Errorf("%s: the model's logits have become %v", tt.name, logits)
			}
		}
	}
	forbidden := newPenalties(Sampling{LogitBias: map[int64]float64{0: math.Inf(-1), 1: math.Inf(-1)}}, nil)
	if _, err := forbidden.change([]float32{1, 2}); err == nil || !strings.Contains(err.Error(), "rules out every token") {
		t.Errorf("no token is left: %v", err)
	}
	if _, err := forbidden.change([]float32{1, float32(math.NaN())}); err == nil || !strings.Contains(err.Error(), "logit NaN") {
		t.Errorf("a broken model: %v", err)
	}
}

// TestPenalizedDraws: what was chosen counts from then on.
func TestPenalizedDraws(t *testing.T) {
	for _, tt := range []struct {
		opt  Sampling
		want []int64
	}{
		{Sampling{}, []int64{0, 0, 0, 0, 0}},
		{Sampling{PresencePenalty: 1.5}, []int64{0, 1, 0, 0, 0}},
		{Sampling{FrequencyPenalty: .75}, []int64{0, 0, 1, 0, 1}},
		{Sampling{RepetitionPenalty: 4}, []int64{0, 1, 2, 0, 0}},
	} {
		s := newSampler(tt.opt, 0, nil)
		var got []int64
		for range tt.want {
			id, err := s.choose([]float32{3, 2, 1})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, id)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v, want %v", tt.opt, got, tt.want)
		}
	}
}
