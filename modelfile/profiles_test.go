package modelfile_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime"
)

// Beyond the maximum of an encoding that has one there is an error, in the
// engine as in the model.
func TestBeyondTheMaximum(t *testing.T) {
	orttest.Require(t)
	bounded, shorter := 0, map[string]string{"xpos": `{"scale_base":8}`}
	for _, row := range pe.Table() {
		cfg := size(row.Name, "modern")
		cfg.EncodingParams = []byte(shorter[row.Name])
		m, weights := modelOf(t, cfg)
		limit := m.MaxLength()
		if limit == 0 {
			continue
		}
		bounded++
		file, err := modelfile.Model{Config: m.Config(), Weights: weights, Card: description()}.ONNX(card.Portable)
		if err != nil {
			t.Fatal(err)
		}
		for _, provider := range []string{"cpu", "go"} {
			s, err := runtime.OpenBytes(file, runtime.Options{Provider: provider})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Logits(t.Context(), [][]int64{make([]int64, limit)}); err != nil {
				t.Errorf("%s, %s: %d tokens: %v", row.Name, provider, limit, err)
			}
			if _, err := s.Logits(t.Context(), [][]int64{make([]int64, limit+1)}); !errors.Is(err, runtime.ErrTooLong) {
				t.Errorf("%s, %s: %d tokens give %v, want ErrTooLong", row.Name, provider, limit+1, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if bounded == 0 {
		t.Error("no encoding has a maximum")
	}
}

// BenchmarkProfiles compares the time of the fused and the portable file for
// prompts of 128 to 2048 tokens, of the size small: the ratio at each length, the
// geometric mean and the worst, for each encoding and for all. The files take
// turns, and ratios are of medians. An encoding with a maximum ends there.
//
//	go test ./modelfile -run '^$' -bench Profiles -benchtime 15x
func BenchmarkProfiles(b *testing.B) {
	orttest.Require(b)
	var all []float64
	for _, row := range pe.Table() {
		b.Run(row.Name, func(b *testing.B) {
			all = append(all, ratios(b, row.Name)...)
		})
	}
	b.Run("all", func(b *testing.B) {
		for b.Loop() { // nothing is timed here
		}
		reportRatios(b, all)
	})
}

// reportRatios reports the geometric mean and the worst.
func reportRatios(b *testing.B, r []float64) {
	if len(r) == 0 {
		b.Skip("no encoding was measured")
	}
	sum := 0.0
	for _, x := range r {
		sum += math.Log(x)
	}
	b.ReportMetric(math.Exp(sum/float64(len(r))), "mean-ratio")
	b.ReportMetric(slices.Max(r), "worst-ratio")
}

// BenchmarkDecode compares the time of one more token after 400 with that of
// NoPE: the ratio, for each encoding, of the portable files at the size small.
// The files take turns, and the ratio is of medians.
//
//	go test ./modelfile -run '^$' -bench Decode -benchtime 10x
func BenchmarkDecode(b *testing.B) {
	orttest.Require(b)
	for _, name := range models.Encodings() {
		b.Run(name, func(b *testing.B) {
			var sessions [2]*runtime.Session
			for i, encoding := range []string{"nope", name} {
				sessions[i] = small(b, encoding, card.Portable, "")
			}
			prompt := make([]int64, 400)
			var times [2][]time.Duration
			for b.Loop() {
				for i, s := range sessions {
					last := time.Time{}
					for _, err := range s.Generate(b.Context(), [][]int64{prompt},
						runtime.GenerateOptions{MaxNew: 32, Stop: []int64{}}) {
						if err != nil {
							b.Fatal(err)
						}
						if now := time.Now(); last.IsZero() {
							last = now // the first token's time is the prompt's
						} else {
							times[i], last = append(times[i], now.Sub(last)), now
						}
					}
				}
			}
			of := median(times[1])
			b.ReportMetric(float64(of.Microseconds())/1000, "ms/token")
			b.ReportMetric(float64(of)/float64(median(times[0])), "of-nope")
		})
	}
}

// small opens a model of the size small.
func small(b *testing.B, encoding, profile, dtype string) *runtime.Session {
	m, err := models.New(models.Config{Encoding: encoding, DModel: 256, NLayers: 4, NHeads: 4, DFF: 1024,
		VocabSize: vocab})
	if err != nil {
		b.Fatal(err)
	}
	described := description()
	described.DType = dtype
	file, err := modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1),
		Card: described}.ONNX(profile)
	if err != nil {
		b.Fatal(err)
	}
	s, err := runtime.OpenBytes(file, runtime.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

// ratios returns the ratio of the times at each length.
func ratios(b *testing.B, encoding string) []float64 {
	sessions := []*runtime.Session{small(b, encoding, card.Portable, ""), small(b, encoding, card.Fused, "")}
	var lengths []int
	for n := 128; n <= 2048 && (sessions[0].Info().Card.MaxLength == 0 || n < sessions[0].Info().Card.MaxLength); n *= 2 {
		lengths = append(lengths, n)
	}
	times := make([][2][]time.Duration, len(lengths))
	rng := rand.New(rand.NewPCG(1, 1))
	once := func(i, profile int) time.Duration {
		prompt := make([]int64, lengths[i])
		for k := range prompt {
			prompt[k] = rng.Int64N(vocab)
		}
		start := time.Now()
		if _, err := runtime.Tokens(sessions[profile].Generate(b.Context(), [][]int64{prompt},
			runtime.GenerateOptions{MaxNew: 1})); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	for i := range lengths { // warm up: the first run of a length allocates
		once(i, 0)
		once(i, 1)
	}
	for b.Loop() {
		for i := range lengths {
			for profile := range sessions {
				times[i][profile] = append(times[i][profile], once(i, profile))
			}
		}
	}
	var out []float64
	for i, n := range lengths {
		out = append(out, float64(median(times[i][1]))/float64(median(times[i][0])))
		b.ReportMetric(out[i], fmt.Sprintf("ratio@%d", n))
	}
	reportRatios(b, out)
	return out
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
