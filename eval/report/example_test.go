package report_test

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
)

// The tables of a task, of which this is the first.
func ExamplePrinter() {
	measured := func(encoding string, length, correct int) eval.Row {
		return eval.Row{
			Environment: eval.Environment{Model: "copy-" + encoding, Machine: "a machine", ToolVersion: "1"},
			Encoding:    encoding, TrainMin: 2, TrainMax: 20, Task: "copy", TaskVersion: 1, Split: "test",
			Length: length,
			Score:  eval.Score{N: 100, Correct: correct, Tokens: 1000, TokensCorrect: 10 * correct},
		}
	}
	var out strings.Builder
	p := report.Printer{Out: &out, Format: "table"}
	if err := p.Task([]eval.Row{measured("nope", 20, 100), measured("nope", 40, 60),
		measured("rope", 20, 96)}); err != nil {
		fmt.Println(err)
	}
	first, _, _ := strings.Cut(out.String(), "\ntime to the first token")
	fmt.Print(first)
	// Output:
	// a machine, pure Go, zoo 1
	//
	// task copy (version 1), n = 100 different test prompts
	//
	// exact match on copy by length, in %: 1 run [95 % interval over its prompts]; *
	// length seen in training
	//
	//             length                nope               rope
	//                 20  100.0 [96.3–100.0]*  96.0 [90.2–98.4]*
	//                 40    60.0 [50.2–69.1]                  –
	//
	//       mean trained               100.0               96.0
	//        mean beyond                60.0                  –
	//   effective length                  20                 20
	//               runs               1 run              1 run
}
