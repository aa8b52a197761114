package summary_test

import (
	"fmt"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// Rows of two encodings, trained on lengths up to 20, say which one goes on further.
func Example() {
	measured := func(encoding string, length, correct int) eval.Row {
		return eval.Row{Environment: eval.Environment{Model: "copy-" + encoding}, Encoding: encoding, TrainMin: 2,
			TrainMax: 20,
			Task:     "copy", Split: "test", Length: length, Score: eval.Score{N: 100, Correct: correct}}
	}
	s, err := summary.New([]eval.Row{
		measured("nope", 20, 100), measured("nope", 30, 96), measured("nope", 40, 50),
		measured("rope", 20, 100), measured("rope", 30, 12), measured("rope", 40, 1),
	}, summary.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, of := range s.Tasks[0].Series {
		fmt.Printf("%s: %.1f %% beyond training, effective length %s\n", of.Name, 100*float64(of.Beyond.Median), of.Effective)
	}
	fmt.Println(s.Tasks[0].Summary)
	// Output:
	// nope: 73.0 % beyond training, effective length 30
	// rope: 6.5 % beyond training, effective length 20
	// On copy, nope goes furthest, to 30 at ≥ 90 % exact match; trained on lengths 2 to 20, 1 run each.
}
