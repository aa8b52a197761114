package catalogue_test

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

func TestTrainedAccuracy(t *testing.T) {
	var c card.Card
	c.Trained.Min, c.Trained.Max = 2, 10
	beyond := []catalogue.Score{{Length: 1, N: 4, Correct: 4}, {Length: 11, N: 4}}
	got, err := (catalogue.Manifest{Scores: append(beyond, catalogue.Score{Length: 2, N: 4, Correct: 4},
		catalogue.Score{Length: 10, N: 8, Correct: 2}), Card: c}).TrainedAccuracy()
	if err != nil || got != 0.625 {
		t.Errorf("%v, %v, want 0.625", got, err)
	}
	for _, scores := range [][]catalogue.Score{nil, beyond, {{Length: 5}}} {
		if got, err := (catalogue.Manifest{Scores: scores, Card: c}).TrainedAccuracy(); err == nil ||
			!strings.Contains(err.Error(), "no score at a trained length (2 to 10)") {
			t.Errorf("%v: %v, %v", scores, got, err)
		}
	}
}
