package runtime_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
)

// windows are models with windows of 8 and 16 tokens in all layers, or in every other one.
var windows = []spec{{encoding: "rope", window: "8"}, {encoding: "alibi/nope", window: "8/0"}, {encoding: "swa"}}

// everyWindow runs f for each model with windows, kind of states and spied engine.
func everyWindow(t *testing.T, f func(t *testing.T, model []byte, provider string)) {
	for _, s := range windows {
		t.Run(fmt.Sprintf("%s %s", s.encoding, s.window), func(t *testing.T) { everyKind(t, s, spied, f) })
	}
}

// TestWindow: prompts longer than the window give the same in chunks that are shorter and
// longer than it, alone and with padding among others; as with the whole cache and a mask.
func TestWindow(t *testing.T) {
	for _, s := range windows {
		t.Run(fmt.Sprintf("%s %s", s.encoding, s.window), func(t *testing.T) {
			rows := [][]int64{prompt(70), prompt(1), prompt(33)}
			s.growing = true
			want := rowLogits(t, open(t, build(t, s), runtime.Options{ChunkSize: 1000}), rows)
			everyKind(t, s, spied, func(t *testing.T, model []byte, provider string) {
				for _, chunk := range []int{1, 7, 64, 1000} {
					got := batchLogits(t, open(t, model, runtime.Options{Provider: provider, ChunkSize: chunk}), rows)
					if diff := cmp.Diff(want, got, close32); diff != "" {
						t.Errorf("chunks of %d (-whole cache +got): %s", chunk, diff)
					}
				}
			})
		})
	}
}

// A token out of all windows' reach makes no difference, one within it does.
func TestWindowForgets(t *testing.T) {
	s := open(t, build(t, spec{encoding: "rope", window: "8"}), runtime.Options{ChunkSize: 7})
	last := func(changed int) []float32 {
		row := prompt(40)
		if changed >= 0 {
			row[changed] = 49
		}
		logits := rowLogits(t, s, [][]int64{row})[0]
		return logits[len(logits)-50:]
	}
	const reach = 2 * 7 // of two layers
	if slices.Equal(last(-1), last(39-reach)) {
		t.Error("a token that two layers reach makes no difference")
	}
	if diff := cmp.Diff(last(-1), last(39-reach-1)); diff != "" {
		t.Errorf("a token beyond the reach of two layers:\n%s", diff)
	}
}

// TestWindowGenerate goes far beyond the window, with rows that leave the batch meanwhile.
func TestWindowGenerate(t *testing.T) {
	everyWindow(t, func(t *testing.T, model []byte, provider string) {
		s := open(t, model, runtime.Options{Provider: provider, ChunkSize: 5})
		full := open(t, model, runtime.Options{Provider: provider[len(spied):], ChunkSize: 1000})
		limits := []int{200, 20, 70, 120}
		rows := generate(t, s, ragged(), runtime.GenerateOptions{Limits: limits, Stop: []int64{}})
		for i, row := range rows {
			if len(row) != limits[i] {
				t.Fatalf("row %d has %d tokens, want %d", i, len(row), limits[i])
			}
		}
		wantBest(t, full, ragged(), rows)
	})
}

// TestWindowRepeatedRun: as TestRepeatedRun, with chunks shorter and longer than the window.
func TestWindowRepeatedRun(t *testing.T) {
	everyWindow(t, func(t *testing.T, model []byte, provider string) {
		for _, chunk := range []int{4, 20} {
			testRepeated(t, model, provider, [][]int64{prompt(100), prompt(33)}, chunk)
		}
	})
}

// What a layer with a window keeps does not grow, at any cost of making it.
func TestWindowIsBounded(t *testing.T) {
	for _, window := range []models.Windows{"8", "8/0"} {
		s := open(t, build(t, spec{encoding: "rope", window: window}), runtime.Options{})
		for i, state := range s.Info().Card.State {
			kind := card.Rewritten
			if window == "8/0" && i >= 2 { // of the second layer
				kind = card.InPlace
			}
			if state.Kind != kind {
				t.Errorf("window %s: %s is of kind %v, want %v", window, state.Past, state.Kind, kind)
			}
			long, _ := state.Bytes(1, 1000)
			short, _ := state.Bytes(1, 10)
			if grows := long != short; grows != (kind == card.InPlace) {
				t.Errorf("window %s: %s grows: %v", window, state.Past, grows)
			}
		}
	}
}
