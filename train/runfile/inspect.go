package runfile

import "github.com/nopezoo/zoo/graph/tensor"

// CheckpointInfo is what a checkpoint says, without weights.
type CheckpointInfo struct {
	Step       int     `json:"step"`                  // updates done
	FittedStep *int    `json:"fitted_step,omitempty"` // see Progress.Fitted
	Loss       float64 `json:"loss"`                  // of the last step, nats per target token
	Parameters int     `json:"parameters"`
	ConfigHash string  `json:"config_hash"`
	Config     Config  `json:"config"`
}

// Info describes the checkpoint.
func (c *Checkpoint) Info() CheckpointInfo {
	info := CheckpointInfo{Step: c.Step, FittedStep: c.Progress.Fitted, Loss: c.Loss, ConfigHash: c.Config.Hash(), Config: c.Config}
	for _, w := range c.Weights {
		info.Parameters += tensor.Numel(w.Shape())
	}
	return info
}
