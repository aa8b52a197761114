package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// encodings are the encodings of synthetic rows, in the order of colours.
var encodings = []string{"nope", "rope", "alibi", "sinusoidal", "learned", "t5", "txl"}

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
						rows = append(rows, refused(syntheticRow(known, encoding, e, seed, length, 0)))
						continue
					}
					p := 1 / (1 + math.Exp((float64(length)-reach)/(0.05*float64(last))))
					correct := 0
					for range 100 {
						if rng.Float64() < p {
							correct++
						}
					}
					rows = append(rows, syntheticRow(known, encoding, e, seed, length, correct))
				}
			}
		}
	}
	return rows
}

func syntheticRow(t task.Task, encoding string, e, seed, length, correct int) eval.Row {
	low, high := eval.Wilson(float64(correct)/100, 100)
	slow := 1 + 0.15*float64(e) + 0.01*float64(seed)
	return eval.Row{
		Schema: eval.RowSchema,
		Environment: eval.Environment{Model: fmt.Sprintf("%s-%s-s%d", t.Name, encoding, seed+1),
			ModelSHA256: fmt.Sprintf("%064x", e*100+seed),
			Provider:    "cpu", Machine: "test machine, 2 cores", ORTVersion: "1.29.0", ToolVersion: "0.1.0"},
		Architecture: "decoder", Encoding: encoding, Positions: "contiguous", Profile: "portable",
		ConfigHash: fmt.Sprintf("%064x", e*10+seed),
		TrainSeed:  uint64(seed + 1), TrainSteps: 2600, TrainMin: t.Train.Min, TrainMax: t.Train.Max,
		Parameters: 604288,
		Task:       t.Name, TaskVersion: t.Version, Split: "test", Length: length, Seed: 1, Batch: 32,
		Score: eval.Score{N: 100, Distinct: 100, Correct: correct, Accuracy: float64(correct) / 100, AccuracyLow: low,
			AccuracyHigh: high,
			Chance:       t.Chance(length), Tokens: 1000, TokensCorrect: 500 + 5*correct},
		Speed: eval.Speed{TimedBatches: 3, TimedBatch: 32, SequenceTokens: 2*length + 4,
			PrefillMS: slow * (1 + float64(length)/8), DecodeSteps: length,
			DecodeP50MS: slow * (0.3 + float64(length)/200), DecodeP95MS: slow, DecodeP99MS: slow,
			GeneratedTokens: 100 * length, GenerateSeconds: 1,
			TokensPerSecond: 40000 / slow / (1 + float64(length)/100), PeakMemory: int64(slow*float64(80+length)) << 20,
			PeakMemoryOf: eval.PeakOfLength},
	}
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

// refused makes a row of a length that the model cannot take.
func refused(r eval.Row) eval.Row {
	r.NA, r.Reason, r.Score, r.Speed = true, "longer than the position table", eval.Score{}, eval.Speed{}
	return r
}
