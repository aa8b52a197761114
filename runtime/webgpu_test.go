package runtime_test

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime"
)

// TestWebGPU holds every encoding on a device to the CPU: logits of a ragged batch read in
// chunks, and answers of rows of which some leave early, so that states grow, and lose rows,
// in the device's memory.
func TestWebGPU(t *testing.T) {
	orttest.RequireWebGPU(t)
	for _, row := range pe.Table() {
		profiles := []bool{false, true}
		if testing.Short() {
			profiles = profiles[:1]
		}
		for _, fused := range profiles {
			t.Run(fmt.Sprintf("%s/fused=%v", row.Name, fused), func(t *testing.T) {
				s := spec{encoding: row.Name, fused: fused}
				model := build(t, s)
				host := open(t, model, runtime.Options{Provider: "cpu", ChunkSize: 4})
				device := open(t, model, runtime.Options{Provider: "webgpu", ChunkSize: 4})
				want, got := batchLogits(t, host, ragged()), batchLogits(t, device, ragged())
				if diff := cmp.Diff(want, got, close32); diff != "" {
					t.Errorf("logits (-cpu +webgpu): %s", diff)
				}
				opt := runtime.GenerateOptions{Limits: []int{9, 3, 1, 5}, Stop: []int64{}}
				if diff := cmp.Diff(generate(t, host, ragged(), opt), generate(t, device, ragged(), opt)); diff != "" {
					t.Errorf("answers (-cpu +webgpu): %s", diff)
				}
			})
		}
	}
}

// TestWebGPUPrefix: what was read stays on the device, and is copied there.
func TestWebGPUPrefix(t *testing.T) {
	orttest.RequireWebGPU(t)
	for _, s := range []spec{{encoding: "alibi/nope", window: "8/0"}, {encoding: "rope"}} {
		if s.encoding == "rope" && testing.Short() {
			continue
		}
		t.Run(s.encoding, func(t *testing.T) {
			testPrefix(t, open(t, build(t, s), runtime.Options{Provider: "webgpu", ChunkSize: 7}), 50)
		})
	}
}

// Answers that widen the states several times, calls side by side, and a session that is
// closed in the middle of one: what the device's memory has to bear.
func TestWebGPUMemory(t *testing.T) {
	orttest.RequireWebGPU(t)
	model := build(t, spec{encoding: "nope"})
	host := open(t, model, runtime.Options{Provider: "cpu"})
	device := open(t, model, runtime.Options{Provider: "webgpu"})
	opt := runtime.GenerateOptions{MaxNew: 140, Stop: []int64{}}
	want := generate(t, host, ragged(), opt)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			got, err := runtime.Tokens(device.Generate(t.Context(), ragged(), opt))
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v (-cpu +webgpu): %s", err, diff)
			}
		})
	}
	group.Wait()
	row, moved, least := ragged()[:1], int64(0), int64(math.MaxInt64)
	for _, err := range device.Generate(t.Context(), row, opt) {
		if err != nil {
			t.Fatal(err)
		}
		toDevice, toHost := device.Transferred()
		least, moved = min(least, toDevice+toHost-moved), toDevice+toHost
	}
	if want := int64(8 + 8 + 50*4); least != want { // id, slot, logits
		t.Errorf("a token takes %d bytes over the bus, want %d whatever is cached", least, want)
	}
	steps := 0
	for _, err := range device.Generate(t.Context(), ragged(), opt) {
		if steps++; steps == 3 {
			if err := device.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil && !errors.Is(err, runtime.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	if steps != 4 {
		t.Errorf("%d steps and errors, want 3 and ErrClosed", steps)
	}
}
