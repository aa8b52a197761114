package runtime_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nopezoo/zoo/runtime"
)

// BenchmarkBatcher measures the throughput of callers that each ask one question after the
// other: through a batcher, and one call of the session at a time. Beside it stands one batch of
// as many rows, all prompts known beforehand: what no service has. Prompts and answers have
// uneven lengths; the three take turns. Metrics are tokens of answers per second, their ratios,
// and how long the slowest hundredth of calls took.
//
//	go test ./runtime -run '^$' -bench Batcher -benchtime 5x
func BenchmarkBatcher(b *testing.B) {
	model := benchModel(b)
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := open(b, model, runtime.Options{})
			batched := batcher(b, s, runtime.BatcherOptions{MaxRows: callers})
			const each = 2 // questions of a caller
			all := make([]question, callers*each)
			tokens := 0
			for i := range all {
				all[i] = question{randomRows(1, 16+i*7%48)[0], 24 + i*11%40}
				tokens += all[i].limit
			}
			ask := func(generate func(q question) error) (time.Duration, []time.Duration) {
				var group sync.WaitGroup
				took := make([]time.Duration, len(all))
				begun := time.Now()
				for c := range callers {
					group.Go(func() {
						for k := range each {
							asked := time.Now()
							if err := generate(all[c*each+k]); err != nil {
								b.Error(err)
							}
							took[c*each+k] = time.Since(asked)
						}
					})
				}
				group.Wait()
				return time.Since(begun), took
			}
			options := func(q question) runtime.GenerateOptions {
				return runtime.GenerateOptions{MaxNew: q.limit, Stop: []int64{}}
			}
			var one sync.Mutex
			var times [3]time.Duration
			var slow [2][]time.Duration
			for b.Loop() {
				total, took := ask(func(q question) error {
					_, err := runtime.Tokens(batched.Generate(b.Context(), [][]int64{q.prompt}, options(q)))
					return err
				})
				times[0] += total
				slow[0] = append(slow[0], took...)
				total, took = ask(func(q question) error {
					one.Lock()
					defer one.Unlock()
					_, err := runtime.Tokens(s.Generate(b.Context(), [][]int64{q.prompt}, options(q)))
					return err
				})
				times[1] += total
				slow[1] = append(slow[1], took...)
				begun := time.Now()
				for k := range each { // batches of as many rows as there are callers
					opt := runtime.GenerateOptions{Stop: []int64{}}
					var prompts [][]int64
					for c := range callers {
						prompts = append(prompts, all[c*each+k].prompt)
						opt.Limits = append(opt.Limits, all[c*each+k].limit)
					}
					if _, err := runtime.Tokens(s.Generate(b.Context(), prompts, opt)); err != nil {
						b.Fatal(err)
					}
				}
				times[2] += time.Since(begun)
			}
			rate := func(i int) float64 { return float64(b.N*tokens) / times[i].Seconds() }
			b.ReportMetric(rate(0), "tok/s")
			b.ReportMetric(rate(0)/rate(1), "×one-by-one")
			b.ReportMetric(rate(0)/rate(2), "×one-batch")
			for i, name := range []string{"p99-ms", "p99-ms-one-by-one"} {
				slices.Sort(slow[i])
				b.ReportMetric(float64(slow[i][len(slow[i])*99/100].Microseconds())/1000, name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
