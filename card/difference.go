package card

import (
	"errors"
	"fmt"
)

// Difference says how far a model in another precision is from the float32 one, on a fixed
// set of prompts: of its tasks, or random tokens where it has none. Other prompts, and other
// engines, may differ more.
type Difference struct {
	Engine   string     `json:"engine,omitempty"` // that ran both, as "ONNX Runtime 1.29.0, cpu"; empty in older files
	Logit    float64    `json:"logit"`            // largest difference of a logit
	Relative float64    `json:"relative"`         // largest |Δ| / max(1, |logit|)
	Accuracy []Accuracy `json:"accuracy,omitempty"`

	// Bits per byte of a text, of a model with a tokenizer of its own.
	Bits        *float64 `json:"bits_per_byte,omitempty"`
	BitsFloat32 *float64 `json:"bits_per_byte_float32,omitempty"` // of the float32 model
}

// Accuracy compares exact matches at one length of a task.
type Accuracy struct {
	Task    string `json:"task"`
	Length  int    `json:"length"`
	N       int    `json:"n"`       // different prompts
	Correct int    `json:"correct"` // of the model
	Float32 int    `json:"float32"` // of the float32 model
}

func (d *Difference) validate() error {
	if d == nil {
		return nil
	}
	for _, v := range []float64{d.Logit, d.Relative} {
		if !finite(&v) || v < 0 {
			return fmt.Errorf("difference is %v, expected finite numbers of 0 or more", v)
		}
	}
	for _, v := range []*float64{d.Bits, d.BitsFloat32} {
		if !finite(v) || v != nil && *v < 0 || (v == nil) != (d.Bits == nil) {
			return errors.New("difference: bits per byte are not two finite numbers of 0 or more")
		}
	}
	for _, a := range d.Accuracy {
		if a.Task == "" || a.Length < 1 || a.N < 1 || min(a.Correct, a.Float32) < 0 || max(a.Correct, a.Float32) > a.N {
			return errors.New("difference: an accuracy lacks a task or a length, or counts more than there are prompts")
		}
	}
	return nil
}
