package runtime_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
)

// For all that a caller does, or its prompt does to the model, the answers of others are what they
// are alone.

// waitFor waits until the batcher's numbers are as wanted.
func waitFor(b *runtime.Batcher, ready func(runtime.BatcherStats) bool) {
	for !ready(b.Stats()) {
		time.Sleep(time.Millisecond)
	}
}

// TestBatcherOwnsItsPrompts: a caller that has left may use the memory of its prompt again, while
// the batcher still reads it with others.
func TestBatcherOwnsItsPrompts(t *testing.T) {
	s := open(t, build(t, spec{encoding: "rope"}), runtime.Options{Provider: spied + "go"})
	b := batcher(t, s, runtime.BatcherOptions{Chunk: 8})
	stays := prompt(40)
	opt := runtime.GenerateOptions{MaxNew: 3, Stop: []int64{}}
	want := generate(t, s, [][]int64{stays}, opt)

	spy, queued, reading, left := spyOf(s), make(chan struct{}), make(chan struct{}), make(chan struct{})
	spy.read = nil
	first := spy.runs
	spy.fail = func(run int) bool {
		switch {
		case run == first+1: // the first answer goes on until both prompts wait
			<-queued
		case len(spy.read) == 1: // the first chunk of the two
			spy.read = append(spy.read, -1)
			close(reading)
			<-left
		}
		return false
	}
	before, end := context.WithCancel(t.Context())
	defer end()
	others := make(chan error, 3)
	go func() {
		_, err := runtime.Tokens(b.Generate(before, [][]int64{{5}}, runtime.GenerateOptions{MaxNew: 1 << 14, Stop: []int64{}}))
		others <- err
	}()
	waitFor(b, func(n runtime.BatcherStats) bool { return n.Reading+n.Running == 1 })
	leaves, ctx, leave := prompt(40), t.Context(), context.CancelFunc(nil)
	ctx, leave = context.WithCancel(ctx)
	go func() {
		_, err := runtime.Tokens(b.Generate(ctx, [][]int64{leaves}, opt))
		for i := range leaves {
			leaves[i] = 1 << 40
		}
		close(left)
		others <- err
	}()
	waitFor(b, func(n runtime.BatcherStats) bool { return n.Waiting == 1 })
	go func() {
		got, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{stays}, opt))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the prompt beside one that was overwritten: %v (-alone +together): %s", err, diff)
		}
		others <- err
	}()
	waitFor(b, func(n runtime.BatcherStats) bool { return n.Waiting == 2 })
	close(queued)
	<-reading
	leave()
	for range 2 {
		if err := <-others; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// TestBatcherForgetsNaN: a row that has made NaN ends with an error, and whoever gets its place
// in the states sees nothing of it.
func TestBatcherForgetsNaN(t *testing.T) {
	config := models.Config{DModel: 32, NLayers: 2, NHeads: 4, DFF: 64, VocabSize: 50, Norm: "layer", EncodingParams: []byte(`{"max_length":64}`)}
	for _, kind := range kinds {
		model := build(t, spec{encoding: "learned", broken: 30, growing: kind.growing, config: config})
		s := open(t, model, runtime.Options{Provider: spied + "go"}) // ONNX Runtime's layer norms give no NaN
		b := batcher(t, s, runtime.BatcherOptions{})
		opt := runtime.GenerateOptions{MaxNew: 4, Stop: []int64{}}
		want := generate(t, s, [][]int64{{9}}, opt)
		const beside = 12
		asked, failed, queued := make(chan struct{}), make(chan struct{}), make(chan struct{})
		first := spyOf(s).runs
		spyOf(s).fail = func(run int) bool {
			switch run - first {
			case 1:
				<-asked
			case 6: // the prompt was run 2, its token run 3; then its place was computed in vain
				close(failed)
				<-queued
			}
			return false
		}
		others := make(chan error)
		go func() {
			_, err := runtime.Tokens(b.Generate(t.Context(), slices.Repeat([][]int64{{5}, {6}}, beside/2), runtime.GenerateOptions{MaxNew: 28, Stop: []int64{}}))
			others <- err
		}()
		waitFor(b, func(n runtime.BatcherStats) bool { return n.Reading+n.Running == beside })
		go func() {
			waitFor(b, func(n runtime.BatcherStats) bool { return n.Waiting == 1 })
			close(asked)
		}()
		if _, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{prompt(30)}, opt)); !errors.Is(err, runtime.ErrLogits) {
			t.Errorf("%s: position 30 gives NaN, and the error %v", kind.name, err)
		}
		<-failed
		done := make(chan error)
		go func() {
			got, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{{9}}, opt))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: in the place of NaN (-alone +there): %s", kind.name, diff)
			}
			done <- err
		}()
		waitFor(b, func(n runtime.BatcherStats) bool { return n.Waiting == 1 })
		close(queued)
		if err := errors.Join(<-done, <-others); err != nil {
			t.Error(err)
		}
	}
}

// TestBatcherSteps: tokens that are made together are one step.
func TestBatcherSteps(t *testing.T) {
	s := open(t, build(t, spec{encoding: "rope"}), runtime.Options{Provider: "go"})
	b := batcher(t, s, runtime.BatcherOptions{})
	opt := runtime.GenerateOptions{MaxNew: 60, Stop: []int64{}, LogProbs: true, TopLogProbs: 50}
	steps := 0
	for step, err := range b.Generate(t.Context(), slices.Repeat([][]int64{{5}, {6}}, 16), opt) {
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(step.Tokens, runtime.NoToken) {
			t.Fatalf("step %d has tokens %v", steps, step.Tokens)
		}
		steps++
	}
	if steps != 60 {
		t.Errorf("%d steps, want 60", steps)
	}
}

// breakPosition makes a position of learned encodings so great that layer norms give NaN.
func breakPosition(weights map[string]*tensor.Tensor, position int) {
	table := weights["position.weight"]
	width := table.Shape()[1]
	for i := range width {
		tensor.Data[float32](table)[position*width+i] = math.MaxFloat32
	}
}
