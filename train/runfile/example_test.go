package runfile_test

import (
	"fmt"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/train/runfile"
)

// Latest, Best and ReadCheckpoint return checkpoints.
func ExampleCheckpoint_Info() {
	c := runfile.Checkpoint{Step: 100, Loss: 0.25, Weights: map[string]*tensor.Tensor{
		"embed.weight": tensor.New(tensor.Float32, 9, 16), "norm.weight": tensor.New(tensor.Float32, 16),
	}}
	info := c.Info()
	fmt.Println("step", info.Step, "loss", info.Loss, "parameters", info.Parameters)
	// Output: step 100 loss 0.25 parameters 160
}
