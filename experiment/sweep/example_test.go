package sweep_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/experiment/sweep"
)

func Example() {
	temporary, err := os.MkdirTemp("", "sweep")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(temporary)
	path := filepath.Join(temporary, "mine.yaml")
	err = os.WriteFile(path, []byte(`
encodings: [nope, rope]
train: {steps: 100, lengths: 1..5}
grid:
  train.lr: [1e-3, 2e-3]
`), 0o600)
	if err != nil {
		fmt.Println(err)
		return
	}
	folder, runs, _, err := sweep.Read(path, "runs", configs.Sources{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("in", folder)
	// sweep.Train(ctx, folder, runs, sweep.Training{Command: []string{"zoo", "train", "--resume"}}) trains these.
	for _, r := range runs {
		fmt.Printf("%s: %d steps, %d parameters\n", r.Name, r.Config.Train.Steps, r.Parameters)
	}
	// Output:
	// in runs/mine
	// copy-nope-tiny-lr=0.001-s1: 100 steps, 342624 parameters
	// copy-nope-tiny-lr=0.002-s1: 100 steps, 342624 parameters
	// copy-rope-tiny-lr=0.001-s1: 100 steps, 342624 parameters
	// copy-rope-tiny-lr=0.002-s1: 100 steps, 342624 parameters
}
