package zoo_test

import (
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/ort/orttest"
	"github.com/nopezoo/zoo/zoo"
)

// BenchmarkGenerate measures greedy generation by a session against a bare loop
// over ONNX Runtime, turn by turn, on the catalogue's models. The ratio is the
// session's speed over the bare loop's; both make the same tokens.
func BenchmarkGenerate(b *testing.B) {
	list, err := zoo.List()
	if err != nil {
		b.Fatal(err)
	}
	for _, profile := range []string{card.Portable, card.Fused} {
		for _, m := range list {
			for _, rows := range []int{1, 32} {
				b.Run(fmt.Sprintf("%s/%s/B=%d", profile, m.Name, rows), func(b *testing.B) { benchmarkGenerate(b, m.Name, profile, rows) })
			}
		}
	}
}

func benchmarkGenerate(b *testing.B, name, profile string, rows int) {
	const width, tokens, threads = 32, 200, 2
	model, err := zoo.ONNX(name, profile)
	if err != nil {
		b.Fatal(err)
	}
	s, err := runtime.OpenBytes(model, runtime.Options{Library: orttest.Require(b), Threads: threads})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	rng := rand.New(rand.NewPCG(1, 2))
	prompts := make([][]int64, rows)
	for i := range prompts {
		for range width {
			prompts[i] = append(prompts[i], 2+rng.Int64N(int64(s.Info().VocabSize)-2))
		}
	}
	bare := newBareLoop(b, model, s.Info(), threads, max(512/rows, 16), prompts, tokens)
	opt := runtime.GenerateOptions{MaxNew: tokens, Stop: []int64{}}
	got := make([][]int64, rows)
	session := func() {
		for i := range got {
			got[i] = got[i][:0]
		}
		for step, err := range s.Generate(b.Context(), prompts, opt) {
			if err != nil {
				b.Fatal(err)
			}
			for i, id := range step.Tokens {
				got[i] = append(got[i], id)
			}
		}
	}
	session()
	if diff := cmp.Diff(bare.generate(b), got); diff != "" {
		b.Fatalf("the bare loop's tokens and the session's differ (-bare +session):\n%s", diff)
	}
	var times [2][]time.Duration
	var ratios []float64
	var before, after goruntime.MemStats
	allocs, turns := uint64(0), 0
	timed := func(who int) float64 {
		begun := time.Now()
		if who == 0 {
			session()
		} else {
			bare.generate(b)
		}
		d := time.Since(begun)
		times[who] = append(times[who], d)
		return d.Seconds()
	}
	for b.Loop() {
		bare.reset()
		goruntime.ReadMemStats(&before)
		first := timed(turns % 2) // who goes first takes turns, too
		second := timed(1 - turns%2)
		goruntime.ReadMemStats(&after)
		allocs += after.Mallocs - before.Mallocs
		if turns%2 == 0 {
			first, second = second, first
		}
		ratios = append(ratios, first/second)
		turns++
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(median(times[0]).Seconds()/tokens*1e6, "µs/step")
	b.ReportMetric(median(times[1]).Seconds()/tokens*1e6, "bare-µs/step")
	b.ReportMetric(float64(allocs)/float64(turns*tokens), "allocs/step")
	b.ReportMetric(0, "ns/op")
}
