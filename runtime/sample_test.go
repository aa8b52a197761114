package runtime

import (
	"math"
	"testing"
)

// TestSamplerFrequencies compares how often ids are drawn with the distribution
// that the settings define, computed by hand.
func TestSamplerFrequencies(t *testing.T) {
	// Probabilities 0.4, 0.1, 0.3, 0.2 at temperature 1.
	logits := []float32{float32(math.Log(4)), 0, float32(math.Log(3)), float32(math.Log(2))}
	tests := []struct {
		name string
		opt  Sampling
		want []float64
	}{
		{"all", Sampling{Temperature: 1}, []float64{.4, .1, .3, .2}},
		{"temperature ½ squares them", Sampling{Temperature: .5}, []float64{16. / 30, 1. / 30, 9. / 30, 4. / 30}},
		{"top-k", Sampling{Temperature: 1, TopK: 2}, []float64{4. / 7, 0, 3. / 7, 0}},
		{"top-k of more than all", Sampling{Temperature: 1, TopK: 9}, []float64{.4, .1, .3, .2}},
		{"top-p between sums", Sampling{Temperature: 1, TopP: .75}, []float64{4. / 9, 0, 3. / 9, 2. / 9}},
		{"top-p after top-k", Sampling{Temperature: 1, TopK: 3, TopP: .75}, []float64{4. / 7, 0, 3. / 7, 0}},
		{"top-p of one", Sampling{Temperature: 1, TopP: .39}, []float64{1, 0, 0, 0}},
		{"min-p", Sampling{Temperature: 1, MinP: .6}, []float64{4. / 7, 0, 3. / 7, 0}},
		{"min-p of the temperature's probabilities", Sampling{Temperature: .5, MinP: .6}, []float64{1, 0, 0, 0}},
		{"min-p of one", Sampling{Temperature: 1, MinP: 1}, []float64{1, 0, 0, 0}},
		{"min-p after top-p", Sampling{Temperature: 1, TopP: .95, MinP: .4}, []float64{4. / 9, 0, 3. / 9, 2. / 9}},
		{"top-p before min-p", Sampling{Temperature: 1, TopP: .65, MinP: .4}, []float64{4. / 7, 0, 3. / 7, 0}},
		{"bias before the temperature", Sampling{Temperature: .5, LogitBias: map[int64]float64{0: math.Log(.5), 3: math.Inf(-1)}},
			[]float64{4. / 14, 1. / 14, 9. / 14, 0}},
		{"bias before top-k", Sampling{Temperature: 1, TopK: 1, LogitBias: map[int64]float64{1: 9}}, []float64{0, 1, 0, 0}},
		{"greedy with a bias", Sampling{LogitBias: map[int64]float64{1: 9}}, []float64{0, 1, 0, 0}},
		{"greedy", Sampling{}, []float64{1, 0, 0, 0}},
	}
	const draws = 20000
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSampler(tt.opt, 0, nil)
			count := make([]float64, len(logits))
			for range draws {
				id, err := s.choose(logits)
				if err != nil {
					t.Fatal(err)
				}
				count[id]++
			}
			for id, p := range tt.want {
				// Five standard deviations of a binomial count; 0 and 1 are exact.
				if d := math.Abs(count[id]/draws - p); d > 5*math.Sqrt(p*(1-p)/draws)+1e-12 {
					t.Errorf("id %d was drawn with frequency %v, want %v", id, count[id]/draws, p)
				}
			}
		})
	}
}

func TestLargest(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	tests := []struct {
		name   string
		logits []float32
		want   int // −1: an error
	}{
		{"one", []float32{3}, 0},
		{"lowest id of equals", []float32{1, 5, 5, 2, 5}, 1},
		{"negative", []float32{-3, -2, -9}, 1},
		{"some cannot be", []float32{-inf, -2, -inf}, 1},
		{"none can be", []float32{-inf, -inf}, -1},
		{"infinite", []float32{1, inf}, -1},
		{"first is no number", []float32{nan, 1}, -1},
		{"last is no number", []float32{1, nan}, -1},
	}
	for _, tt := range tests {
		got, err := largest(tt.logits)
		if err != nil {
			got = -1
		}
		if got != tt.want {
			t.Errorf("%s: %d (%v), want %d", tt.name, got, err, tt.want)
		}
	}
}

func TestChunk(t *testing.T) {
	tests := []struct{ size, rows, want int }{{0, 1, 512}, {0, 4, 128}, {0, 64, 16}, {0, 1000, 16}, {7, 1, 7},
		{7, 64, 7}}
	for _, tt := range tests {
		if got := (Options{ChunkSize: tt.size}).Chunk(tt.rows); got != tt.want {
			t.Errorf("chunk of %+v is %d", tt, got)
		}
	}
}
