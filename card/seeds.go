package card

import (
	"cmp"
	"fmt"
)

// Seeds are the seeds of a training run.
type Seeds struct {
	Weights uint64 // of weights and dropout
	Data    uint64 // of samples and position ids; 0: the weights'
}

// String is "3", or "3d7" where the data have a seed of their own.
func (s Seeds) String() string {
	if s.Data == 0 {
		return fmt.Sprint(s.Weights)
	}
	return fmt.Sprintf("%dd%d", s.Weights, s.Data)
}

// MarshalText implements encoding.TextMarshaler.
func (s Seeds) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Compare orders by the weights' seed, then by the data's.
func (s Seeds) Compare(o Seeds) int {
	return cmp.Or(cmp.Compare(s.Weights, o.Weights), cmp.Compare(s.Data, o.Data))
}
