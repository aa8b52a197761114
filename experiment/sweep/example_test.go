package sweep_test

import (
	"fmt"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/experiment/sweep"
)

func Example() {
	file, err := sweep.Parse("mine", []byte(`
encodings: [nope, rope]
train: {steps: 100, lengths: 1..5}
grid:
  train.lr: [1e-3, 2e-3]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	runs, err := file.Runs("runs/mine", configs.Sources{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// sweep.Train(ctx, "runs/mine", runs, sweep.Options{Command: []string{"zoo", "train", "--resume"}}) trains these.
	for _, r := range runs {
		fmt.Printf("%s: %d steps, %d parameters\n", r.Name, r.Config.Train.Steps, r.Parameters)
	}
	// Output:
	// copy-nope-tiny-lr=0.001-s1: 100 steps, 342624 parameters
	// copy-nope-tiny-lr=0.002-s1: 100 steps, 342624 parameters
	// copy-rope-tiny-lr=0.001-s1: 100 steps, 342624 parameters
	// copy-rope-tiny-lr=0.002-s1: 100 steps, 342624 parameters
}
