package tables

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

func TestDescribe(t *testing.T) {
	m := catalogue.Manifest{Name: "copy-rope", Command: "zoo train", Card: card.Card{
		Task: "copy", Encoding: "rope", Trained: card.Lengths{Min: 2, Max: 6}, Parameters: 7, Steps: 9, Seed: 3,
	}}
	m.Scores = []catalogue.Score{ // in no order; 8 fails, so that 10 does not count
		{Length: 10, N: 10, Correct: 10}, {Length: 2, N: 10, Correct: 10}, {Length: 4, N: 10, Correct: 9},
		{Length: 8, N: 10, Correct: 8},
	}
	want := entry{Name: "copy-rope", Task: "copy", Encoding: "rope", TrainedMin: 2, TrainedMax: 6,
		TrainedAccuracy: new(0.95),
		EffectiveLength: 4, MeasuredMax: 10, Parameters: 7, Steps: 9, Seed: 3, Command: "zoo train"}
	if diff := cmp.Diff(want, describe(m)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A length counts from one prompt on, and one that was not measured is passed over.
	m.Scores = []catalogue.Score{{Length: 2, N: 1, Correct: 1}, {Length: 4}, {Length: 6, N: 1, Correct: 1}, {Length: 8, N: 1}}
	if got := describe(m).EffectiveLength; got != 6 {
		t.Errorf("effective length %d, want 6", got)
	}
	m.Scores = nil
	want.TrainedAccuracy, want.EffectiveLength, want.MeasuredMax = nil, 0, 0
	if diff := cmp.Diff(want, describe(m)); diff != "" {
		t.Errorf("not measured (-want +got):\n%s", diff)
	}
}
