package launch_test

import (
	"fmt"
	"path/filepath"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/experiment/launch"
)

func Example() {
	runs, err := launch.Plan("runs", configs.Sources{
		Preset:    "tiny",
		Encodings: []string{"nope", "rope"},
		Overrides: []configs.Value{{Key: "train.steps", Value: "100", From: "--steps"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range runs {
		r, err := r.Look()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(filepath.Base(r.Dir), r.Config.Train.Steps, r.Cost.Parameters, r.State)
		// r.Open(train.Options{}) returns the trainer, whose Run trains.
	}
	// Output:
	// copy-nope-tiny-s1 100 342624 not begun
	// copy-rope-tiny-s1 100 342624 not begun
}
