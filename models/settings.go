package models

import "slices"

// Settings returns the keys of Config that a model of the encoding, or of the
// architecture in its place, has; Resolve clears the others.
func Settings(encoding string) []string {
	if a, ok := Find(encoding); ok {
		return slices.Clone(a.Settings)
	}
	return []string{
		"settings", "encoding", "encoding_params", "d_model", "n_layers", "n_heads", "d_head", "d_ff", "vocab_size",
		"activation", "attention_scale", "head_scale", "init", "norm_eps",
	}
}
