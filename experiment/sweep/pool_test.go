package sweep

import (
	"context"
	"fmt"
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
		want   []string // from hour to hour
	}{
		{"one worker", pool{workers: 1}, []int64{9, 9}, []string{"r0 0-9", "r1 9-18"}},
		{"two workers", pool{workers: 2}, []int64{9, 8, 7}, []string{"r1 0-8", "r0 0-9", "r2 8-15"}},
		{"memory for one", pool{workers: 2, memory: 10}, []int64{6, 7}, []string{"r0 0-6", "r1 6-13"}},
		{"a small one passes", pool{workers: 2, memory: 10}, []int64{6, 7, 4}, []string{"r2 0-4", "r0 0-6", "r1 6-13"}},
		{"too large", pool{workers: 2, memory: 10}, []int64{11, 10},
			[]string{"r0 needs more memory than there is", "r1 0-10"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				hour := func() int { return int(time.Since(start).Hours()) }
				begun := make(chan [2]any, len(test.memory))
				at := map[string]int{}
				var got []string
				test.pool.run(t.Context(), sweepRuns(test.memory...), func(_ context.Context, r Run) error {
					begun <- [2]any{r.Name, hour()}
					time.Sleep(time.Duration(r.Memory) * time.Hour)
					return nil
				}, func(r Run, err error) {
					for len(begun) > 0 {
						b := <-begun
						at[b[0].(string)] = b[1].(int)
					}
					if err != nil {
						got = append(got, fmt.Sprint(r.Name, " ", err))
						return
					}
					got = append(got, fmt.Sprintf("%s %d-%d", r.Name, at[r.Name], hour()))
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
	pool{workers: 1}.run(ctx, sweepRuns(1, 1, 1), func(ctx context.Context, r Run) error {
		if r.Name == "r1" {
			cancel()
		}
		return ctx.Err()
	}, func(r Run, err error) { got = append(got, fmt.Sprint(r.Name, " ", err)) })
	if d := cmp.Diff([]string{"r0 <nil>", "r1 context canceled"}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
