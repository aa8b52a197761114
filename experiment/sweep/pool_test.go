package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/train"
)

func sweepRuns(memory ...int64) []Run {
	var out []Run
	for i, m := range memory {
		out = append(out, Run{Name: fmt.Sprint("r", i), Cost: train.Cost{Memory: m}})
	}
	return out
}

// TestPool runs pools in a bubble of false time: a run takes as many hours as its
// memory says.
func TestPool(t *testing.T) {
	for _, test := range []struct {
		name   string
		pool   pool
		memory []int64
		short  string   // the run that runs out of memory the first time
		want   []string // from hour to hour
	}{
		{"one worker", pool{workers: 1, memory: []int64{0}}, []int64{9, 9}, "", []string{"r0 0-9", "r1 9-18"}},
		{"two workers", pool{workers: 2, memory: []int64{0}}, []int64{9, 8, 7}, "", []string{"r1 0-8", "r0 0-9", "r2 8-15"}},
		{"memory for one", pool{workers: 2, memory: []int64{10}}, []int64{6, 7}, "", []string{"r0 0-6", "r1 6-13"}},
		{"a small one passes", pool{workers: 2, memory: []int64{10}}, []int64{6, 7, 4}, "", []string{"r2 0-4", "r0 0-6", "r1 6-13"}},
		{"too large", pool{workers: 2, memory: []int64{10}}, []int64{11, 10}, "",
			[]string{"r0 needs more memory than there is", "r1 0-10"}},
		{"two places", pool{workers: 1, memory: []int64{0, 0}}, []int64{9, 8, 7}, "",
			[]string{"r1 at 1 0-8", "r0 at 0 0-9", "r2 at 1 8-15"}},
		{"two at each of two", pool{workers: 2, memory: []int64{10, 20}}, []int64{6, 7, 5, 11}, "",
			[]string{"r2 at 1 0-5", "r0 at 0 0-6", "r1 at 1 0-7", "r3 at 1 5-16"}},
		{"large for a device", pool{workers: 2, memory: []int64{10}, predicted: true}, []int64{4, 11, 5}, "",
			[]string{"r0 0-4", "r2 0-5", "r1 5-16"}},
		{"out of memory", pool{workers: 2, memory: []int64{0}, predicted: true}, []int64{2, 4, 9}, "r0",
			[]string{"r0 again at 2: CUDA out of memory", "r1 0-4", "r2 2-11", "r0 11-13"}},
		{"out of memory alone", pool{workers: 1, memory: []int64{0}, predicted: true}, []int64{2}, "r0",
			[]string{"r0 CUDA out of memory"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				hour := func() int { return int(time.Since(start).Hours()) }
				var mu sync.Mutex
				at, begun := map[string]string{}, map[string]int{}
				var got []string
				test.pool.again = func(r Run, err error) { got = append(got, fmt.Sprintf("%s again at %d: %v", r.Name, hour(), err)) }
				test.pool.run(t.Context(), sweepRuns(test.memory...), func(_ context.Context, r Run, place int) error {
					mu.Lock()
					_, before := begun[r.Name]
					begun[r.Name] = hour()
					if len(test.pool.memory) > 1 {
						at[r.Name] = fmt.Sprint("at ", place, " ")
					}
					mu.Unlock()
					time.Sleep(time.Duration(r.Memory) * time.Hour)
					if r.Name == test.short && !before {
						return errors.New("CUDA out of memory")
					}
					return nil
				}, func(r Run, err error) {
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						got = append(got, fmt.Sprint(r.Name, " ", err))
						return
					}
					got = append(got, fmt.Sprintf("%s %s%d-%d", r.Name, at[r.Name], begun[r.Name], hour()))
				})
				if d := cmp.Diff(test.want, got); d != "" {
					t.Errorf("-want +got:\n%s", d)
				}
			})
		})
	}
}

// TestPoolStops checks that nothing begins after the end of the context, and
// that what began is waited for.
func TestPoolStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var got []string
	pool{workers: 1, memory: []int64{0}}.run(ctx, sweepRuns(1, 1, 1), func(ctx context.Context, r Run, _ int) error {
		if r.Name == "r1" {
			cancel()
		}
		return ctx.Err()
	}, func(r Run, err error) { got = append(got, fmt.Sprint(r.Name, " ", err)) })
	if d := cmp.Diff([]string{"r0 <nil>", "r1 context canceled"}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
