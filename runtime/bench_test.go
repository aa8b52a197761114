package runtime_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
)

// benchModel is of the size of the zoo's small models.
func benchModel(b *testing.B) []byte {
	return build(b, spec{encoding: "rope", config: models.Config{DModel: 256, NLayers: 4, NHeads: 4, DFF: 1024,
		VocabSize: 128}})
}

func randomRows(rows, length int) [][]int64 {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([][]int64, rows)
	for i := range out {
		for range length {
			out[i] = append(out[i], 2+rng.Int64N(126))
		}
	}
	return out
}

// BenchmarkGenerate reports time and allocations of whole calls, and the rate of
// new tokens.
func BenchmarkGenerate(b *testing.B) {
	model := benchModel(b)
	const new = 63
	for _, rows := range []int{1, 64} {
		b.Run(fmt.Sprintf("B=%d/T=%d", rows, new), func(b *testing.B) {
			s := open(b, model, runtime.Options{})
			prompts := randomRows(rows, 1)
			opt := runtime.GenerateOptions{MaxNew: new, Stop: []int64{}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := runtime.Tokens(s.Generate(b.Context(), prompts, opt)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*rows*new)/b.Elapsed().Seconds(), "tok/s")
		})
	}
}

// BenchmarkGenerateUneven has rows of very different limits, so that dropping
// those that have ended pays.
func BenchmarkGenerateUneven(b *testing.B) {
	s := open(b, benchModel(b), runtime.Options{})
	prompts := randomRows(32, 16)
	opt := runtime.GenerateOptions{Stop: []int64{}}
	new := 0
	for i := range prompts {
		opt.Limits = append(opt.Limits, 4*(i+1))
		new += 4 * (i + 1)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := runtime.Tokens(s.Generate(b.Context(), prompts, opt)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*new)/b.Elapsed().Seconds(), "tok/s")
}

// BenchmarkScore reads long rows at several chunk sizes.
func BenchmarkScore(b *testing.B) {
	model := benchModel(b)
	for _, size := range []struct{ rows, length int }{{1, 2048}, {16, 256}} {
		rows, from := randomRows(size.rows, size.length), make([]int, size.rows)
		for i := range from {
			from[i] = 1
		}
		for _, chunk := range []int{0, 16, 64, 256, 1024} {
			b.Run(fmt.Sprintf("B=%d/T=%d/chunk=%d", size.rows, size.length, chunk), func(b *testing.B) {
				s := open(b, model, runtime.Options{ChunkSize: chunk})
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Score(b.Context(), rows, from, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N*size.rows*size.length)/b.Elapsed().Seconds(), "tok/s")
			})
		}
	}
}
