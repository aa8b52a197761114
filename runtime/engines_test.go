package runtime_test

import (
	"fmt"
	"iter"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// BenchmarkEngines measures the engine in pure Go against ONNX Runtime, side by side: the two
// take turns at every token, and at every prompt. x/token and x/prompt say how many times ONNX
// Runtime's time the pure-Go engine takes, from medians; allocs/token are the pure-Go engine's
// call's. The models are two of the catalogue and one of the preset small, with random weights,
// and of this also in int8, with two threads, and with ALiBi after a long prompt. ONNX Runtime's
// threads do not spin: they would take the other engine's time.
//
//	go test ./runtime -run '^$' -bench Engines -benchtime 5x
func BenchmarkEngines(b *testing.B) {
	small := models.Config{DModel: 256, NLayers: 4, NHeads: 4, DFF: 1024, VocabSize: 110}
	random := func(encoding, dtype string) func(profile string) ([]byte, error) {
		return func(profile string) ([]byte, error) {
			return spec{encoding: encoding, dtype: dtype, fused: profile == card.Fused, config: small}.build()
		}
	}
	carried := func(name string) func(profile string) ([]byte, error) {
		return func(profile string) ([]byte, error) { return catalogue.Embedded().ONNX(name, profile) }
	}
	type size struct{ rows, length int }
	sizes := []size{{1, 32}, {32, 32}, {1, 512}}
	for _, row := range []struct {
		name    string
		model   func(profile string) ([]byte, error)
		threads int
		sizes   []size
	}{
		{"copy-rope", carried("copy-rope"), 1, sizes},
		{"copy-alibi", carried("copy-alibi"), 1, sizes},
		{"small", random("rope", ""), 1, sizes},
		{"small int8", random("rope", card.Int8Block), 1, sizes},
		{"small int4", random("rope", card.Int4Block), 1, sizes},
		{"small 2 threads", random("rope", ""), 2, sizes},
		{"small alibi", random("alibi", ""), 1, []size{{1, 4096}}},
	} {
		for _, profile := range []string{card.Portable, card.Fused} {
			model, err := row.model(profile)
			if err != nil {
				b.Fatal(err)
			}
			ort := open(b, model, runtime.Options{Threads: row.threads})
			pure := open(b, model, runtime.Options{Threads: row.threads, Provider: "go"})
			for _, size := range row.sizes {
				b.Run(fmt.Sprintf("%s/%s/B=%d/T=%d", row.name, profile, size.rows, size.length), func(b *testing.B) {
					sideBySide(b, pure, ort, size.rows, size.length)
				})
			}
		}
	}
}

// sideBySide lets two sessions continue prompts in turns.
func sideBySide(b *testing.B, pure, ort *runtime.Session, rows, length int) {
	const tokens = 65 // the first of them reads the prompt
	sessions := []*runtime.Session{pure, ort}
	prompts := randomRows(rows, length)
	for _, p := range prompts {
		for i := range p {
			p[i] %= int64(pure.Info().VocabSize)
		}
	}
	var times [2][tokens][]time.Duration
	call := func() {
		var next [2]func() (runtime.Step, error, bool)
		for who, s := range sessions {
			opt := runtime.GenerateOptions{MaxNew: tokens, Stop: []int64{}}
			pull, stop := iter.Pull2(s.Generate(b.Context(), prompts, opt))
			next[who] = pull
			defer stop()
		}
		for k := range tokens {
			for who := range sessions {
				begun := time.Now()
				if _, err, _ := next[who](); err != nil {
					b.Fatal(err)
				}
				times[who][k] = append(times[who][k], time.Since(begun))
			}
		}
	}
	call() // makes the memory
	times = [2][tokens][]time.Duration{}
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	opt := runtime.GenerateOptions{MaxNew: tokens, Stop: []int64{}}
	if _, err := runtime.Tokens(pure.Generate(b.Context(), prompts, opt)); err != nil {
		b.Fatal(err)
	}
	goruntime.ReadMemStats(&after)
	for b.Loop() {
		call()
	}
	var prompt, token [2]float64
	for who := range times {
		for k, t := range times[who] {
			slices.Sort(t)
			if k == 0 {
				prompt[who] = t[len(t)/2].Seconds()
			} else {
				token[who] += t[len(t)/2].Seconds() / (tokens - 1)
			}
		}
	}
	b.ReportMetric(token[0]/token[1], "x/token")
	b.ReportMetric(prompt[0]/prompt[1], "x/prompt")
	b.ReportMetric(token[0]*1e6, "µs/token")
	b.ReportMetric(prompt[0]*1e6, "µs/prompt")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/tokens, "allocs/token")
	b.ReportMetric(0, "ns/op")
}
