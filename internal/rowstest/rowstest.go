// Package rowstest makes result rows for tests.
package rowstest

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// Encodings are the encodings of rows, in their usual order.
var Encodings = []string{"nope", "rope", "alibi", "sinusoidal", "learned", "t5", "txl"}

// Row is one measurement of an encoding on a task, correct of 100. Later encodings and seeds are slower.
func Row(t task.Task, encoding string, seed, length, correct int) eval.Row {
	e := slices.Index(Encodings, encoding)
	low, high := eval.Wilson(float64(correct)/100, 100)
	slow := 1 + 0.15*float64(e) + 0.01*float64(seed)
	return eval.Row{
		Schema: eval.RowSchema,
		Environment: eval.Environment{Model: fmt.Sprintf("%s-%s-s%d", t.Name, encoding, seed+1), ModelSHA256: fmt.Sprintf("%064x", e*100+seed),
			Provider: "cpu", Machine: "test machine, 2 cores", ORTVersion: "1.29.0", ToolVersion: "0.1.0"},
		Architecture: "decoder", Encoding: encoding, Positions: "contiguous", Profile: "portable",
		ConfigHash: fmt.Sprintf("%064x", e*10+seed),
		TrainSeed:  uint64(seed + 1), TrainSteps: 2600, TrainMin: t.Train.Min, TrainMax: t.Train.Max,
		Parameters: 604288,
		Task:       t.Name, TaskVersion: t.Version, Split: "test", Length: length, Seed: 1, Batch: 32,
		Score: eval.Score{N: 100, Distinct: 100, Correct: correct, Accuracy: float64(correct) / 100, AccuracyLow: low, AccuracyHigh: high,
			Chance: t.Chance(length), Tokens: 1000, TokensCorrect: 500 + 5*correct},
		Speed: eval.Speed{TimedBatches: 3, TimedBatch: 32, SequenceTokens: 2*length + 4,
			PrefillMS: slow * (1 + float64(length)/8), DecodeSteps: length,
			DecodeP50MS: slow * (0.3 + float64(length)/200), DecodeP95MS: slow, DecodeP99MS: slow,
			GeneratedTokens: 100 * length, GenerateSeconds: 1,
			TokensPerSecond: 40000 / slow / (1 + float64(length)/100), PeakMemory: int64(slow*float64(80+length)) << 20,
			PeakMemoryOf: eval.PeakOfLength},
	}
}

// Copy is one measurement of an encoding on copying, correct of 100.
func Copy(encoding string, seed, length, correct int) eval.Row {
	t, err := task.Lookup("copy")
	if err != nil {
		panic(err) // a mistake in the test
	}
	return Row(t, encoding, seed, length, correct)
}

// Refused makes a row of a length that the model cannot take.
func Refused(r eval.Row) eval.Row {
	r.NA, r.Reason, r.Score, r.Speed = true, "longer than the position table", eval.Score{}, eval.Speed{}
	return r
}

// With is a row that was changed.
func With(r eval.Row, change func(*eval.Row)) eval.Row {
	change(&r)
	return r
}

// On puts a row on another task.
func On(name string, r eval.Row) eval.Row { return With(r, func(r *eval.Row) { r.Task = name }) }

// Guess puts a row on a task of which guessing solves half.
func Guess(r eval.Row) eval.Row { return With(r, func(r *eval.Row) { r.Chance = 0.5 }) }
