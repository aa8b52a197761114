package report_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/rowstest"
)

var encodings = rowstest.Encodings

// row is one measurement of an encoding on copying, correct of 100.
func row(_ *testing.T, encoding string, seed, length, correct int) eval.Row {
	return rowstest.Copy(encoding, seed, length, correct)
}

var with, on, guess, refused = rowstest.With, rowstest.On, rowstest.Guess, rowstest.Refused

// synthetic makes rows as a study of encodings × tasks × seeds would write them.
// Accuracy is a slope that falls beyond training, later for some than for others;
// learned positions end at length 30.
func synthetic(tasks []string, seeds int) []eval.Row {
	rng := rand.New(rand.NewPCG(1, 2))
	var rows []eval.Row
	for i, name := range tasks {
		known, err := task.Lookup(name)
		if err != nil {
			panic(err) // a mistake in the test
		}
		last := known.Beyond.Max
		for e, encoding := range encodings {
			for seed := range seeds {
				reach := float64(known.Train.Max) * (1.05 + 0.12*float64((e*3+i)%7) + 0.05*rng.Float64())
				for length := known.Train.Min; length <= last; length += max(1, last/16) {
					if encoding == "learned" && length > 30 {
						rows = append(rows, refused(rowstest.Row(known, encoding, seed, length, 0)))
						continue
					}
					p := 1 / (1 + math.Exp((float64(length)-reach)/(0.05*float64(last))))
					correct := 0
					for range 100 {
						if rng.Float64() < p {
							correct++
						}
					}
					rows = append(rows, rowstest.Row(known, encoding, seed, length, correct))
				}
			}
		}
	}
	return rows
}

// speedRow makes a row of speed without a task, whose step takes slow times what it takes
// at half of the roofline.
func speedRow(t *testing.T, encoding string, length int, slow float64) eval.Row {
	r := row(t, encoding, 0, length, 0)
	r.Measure, r.Task, r.TaskVersion, r.Split, r.Batch, r.Score = eval.MeasureSpeed, "", 0, "", 1, eval.Score{}
	r.PeakFLOPS, r.PeakBandwidth, r.DecodeFLOPs, r.DecodeBytes = 1e11, 1e10, 1e6, 1e6+2048*float64(length)
	r.DecodeP50MS = slow * 2 * 1e3 * r.DecodeBytes / r.PeakBandwidth
	return r
}
