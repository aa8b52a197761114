package eval

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The durations are set by hand: no test depends on a clock.
func TestStopwatchSpeed(t *testing.T) {
	w := stopwatch{prefill: []float64{30, 10, 20}, decode: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 100}, steps: 6}
	if err := w.stop(500*time.Millisecond, 40); err != nil { // as if the last five steps were its own
		t.Fatal(err)
	}
	w.steps = 3
	if err := w.stop(1500*time.Millisecond, 60); err != nil {
		t.Fatal(err)
	}
	w.endRepeat()
	want := Speed{TimedBatches: 3, Repeats: 1, PrefillMS: 20, PrefillP95MS: 30, PrefillP99MS: 30, FirstTokenMS: 20,
		DecodeSteps: 10, DecodeP50MS: 5, DecodeP95MS: 100, DecodeP99MS: 100,
		GeneratedTokens: 100, GenerateSeconds: 2, TokensPerSecond: 50,
		TokensPerSecondSD: 20 * math.Sqrt2, SDOf: SDOfBatches, // of 80 and 40
		PrefillSDMS: 10, DecodeSDMS: math.Sqrt2 / 2, // of 30, 10 and 20; of the medians 8 and 9
		RepeatRates: []float64{50}, RepeatPrefillMS: []float64{20}, RepeatDecodeMS: []float64{5}}
	if diff := cmp.Diff(want, w.speed(), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("speed (-want +got):\n%s", diff)
	}

	// A second round: the deviation is now the rounds', 50 and 10.
	w.prefill, w.decode = append(w.prefill, 70), append(w.decode, 12, 11, 13)
	if err := w.stop(10*time.Second, 100); err != nil {
		t.Fatal(err)
	}
	w.endRepeat()
	got := w.speed()
	if got.Repeats != 2 || got.SDOf != SDOfRepeats || math.Abs(got.TokensPerSecondSD-40/math.Sqrt2) > 1e-9 ||
		math.Abs(got.PrefillSDMS-50/math.Sqrt2) > 1e-9 || math.Abs(got.DecodeSDMS-7/math.Sqrt2) > 1e-9 {
		t.Errorf("%d repeats, deviations %v, %v and %v of %s", got.Repeats, got.TokensPerSecondSD, got.PrefillSDMS,
			got.DecodeSDMS, got.SDOf)
	}
	lists := [][]float64{got.RepeatRates, got.RepeatPrefillMS, got.RepeatDecodeMS}
	if diff := cmp.Diff([][]float64{{50, 10}, {20, 70}, {5, 12}}, lists); diff != "" {
		t.Errorf("repeats (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Speed{}, new(stopwatch).speed()); diff != "" {
		t.Errorf("speed of nothing (-want +got):\n%s", diff)
	}
}

// The first step of each batch is prefill, the others are decoding.
func TestStopwatchSteps(t *testing.T) {
	var w stopwatch
	for range 2 {
		w.start()
		for range 4 {
			w.step()
		}
		if err := w.stop(time.Since(w.started), 4); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.prefill) != 2 || len(w.decode) != 6 || w.tokens != 8 {
		t.Errorf("%d prefills, %d steps, %d tokens", len(w.prefill), len(w.decode), w.tokens)
	}
	w.start()
	if err := w.stop(0, 1); err == nil {
		t.Error("a batch without steps: no error")
	}
}
