package runtime_test

import (
	"fmt"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// BenchmarkDecode measures greedy generation against a bare loop over the same
// ONNX Runtime session, on the catalogue's decoders for copying. The two take turns at every
// token and must make the same ones. ratio is the session's speed over the bare
// loop's, the prompt included; times are medians over the calls, token by token,
// since other programs disturb some of them.
//
//	go test ./runtime -run '^$' -bench Decode -benchtime 30x
func BenchmarkDecode(b *testing.B) {
	library := orttest.Require(b)
	list, err := catalogue.Embedded().List()
	if err != nil {
		b.Fatal(err)
	}
	for _, profile := range []string{card.Portable, card.Fused} {
		for _, m := range list {
			if m.Card.Task != "copy" || m.Card.Architecture != "decoder" {
				continue // the task makes no difference, and the bare loop knows no other state than caches
			}
			model, err := catalogue.Embedded().ONNX(m.Name, profile)
			if err != nil {
				b.Fatal(err)
			}
			for _, rows := range []int{1, 32} {
				b.Run(fmt.Sprintf("%s/%s/B=%d", profile, m.Name, rows), func(b *testing.B) {
					s, err := runtime.OpenBytes(model, runtime.Options{Library: library})
					if err != nil {
						b.Fatal(err)
					}
					b.Cleanup(func() { _ = s.Close() })
					decode(b, s, rows)
				})
			}
		}
	}
}

func decode(b *testing.B, s *runtime.Session, rows int) {
	const width, tokens = 32, 200
	prompts := randomRows(rows, width)
	for _, p := range prompts {
		for i := range p {
			p[i] %= int64(s.Info().VocabSize)
		}
	}
	bare := newBareLoop(b, s, max(512/rows, 16), prompts, tokens)
	opt := runtime.GenerateOptions{MaxNew: tokens, Stop: []int64{}}
	var times [2][tokens][]time.Duration // session, bare loop
	call := func(keep bool) {
		at, k, begun := 0, 0, time.Now()
		for step, err := range s.Generate(b.Context(), prompts, opt) {
			if err != nil {
				b.Fatal(err)
			}
			mine := time.Since(begun)
			begun = time.Now()
			at = bare.next(at)
			theirs := time.Since(begun)
			if !slices.Equal(bare.ids, step.Tokens) {
				b.Fatalf("step %d: the bare loop makes %v, the session %v", k, bare.ids, step.Tokens)
			}
			if keep {
				times[0][k], times[1][k] = append(times[0][k], mine), append(times[1][k], theirs)
			}
			k++
			begun = time.Now()
		}
	}
	call(false) // makes the memory
	var before, after goruntime.MemStats
	allocs, calls := uint64(0), 0
	for b.Loop() {
		goruntime.ReadMemStats(&before)
		call(false)
		goruntime.ReadMemStats(&after)
		allocs += after.Mallocs - before.Mallocs
		call(true)
		calls++
	}
	var sums [2]float64
	for who := range times {
		for _, t := range times[who] {
			slices.Sort(t)
			sums[who] += t[len(t)/2].Seconds()
		}
	}
	b.ReportMetric(sums[1]/sums[0], "ratio")
	b.ReportMetric(sums[0]/tokens*1e6, "µs/token")
	b.ReportMetric(sums[1]/tokens*1e6, "bare-µs/token")
	b.ReportMetric(float64(allocs)/float64(calls*tokens), "allocs/token")
	b.ReportMetric(0, "ns/op")
}
