package runtime

import (
	"errors"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/runtime/engine"
)

// withoutWords is ErrNoTokenizer with the reason.
func (s *Session) withoutWords() error {
	if s.noWords == "" {
		return ErrNoTokenizer
	}
	return fmt.Errorf("%w: %s", ErrNoTokenizer, s.noWords)
}

// checkTypes refuses element types of a file of another program where the provider does not have them.
func (s *Session) checkTypes() error {
	if s.opt.Provider != engine.Go && !engine.OnDevice(s.opt.Provider) {
		return nil
	}
	for _, p := range append(s.contract.Inputs[:len(s.contract.Inputs):len(s.contract.Inputs)], s.contract.Outputs...) {
		if p.DType == card.Float16 || p.DType == card.Int32 {
			return fmt.Errorf("provider %s does not take or give %v, but int64 and float32; use provider %s",
				s.opt.Provider, p, engine.CPU)
		}
	}
	return nil
}

// foreignTypes is the memory of inputs of int32, and of logits of float16, which only files of
// other programs have: the rest of the package has all integers in int64 and all logits in float32.
type foreignTypes struct {
	inputs []narrowed
	logits *buffer[uint16] // nil where the model gives float32
}

// narrowed is an input of int32, and what it is to hold.
type narrowed struct {
	input int
	from  *buffer[int64]
	to    *buffer[int32]
}

// inputAs32 gives memory of int32 the shape of x, whose contents it will have.
func (f *foreignTypes) inputAs32(m engine.Model, input int, x *buffer[int64]) (engine.Value, error) {
	for _, n := range f.inputs {
		if n.input == input {
			return n.resize(m)
		}
	}
	n := narrowed{input, x, new(buffer[int32])}
	f.inputs = append(f.inputs, n)
	return n.resize(m)
}

func (n narrowed) resize(m engine.Model) (engine.Value, error) {
	err := n.to.resize(m, len(n.from.memory), n.from.shape...)
	return n.to.value, err
}

// prepareForeign gives the logits their memory where they are float16.
func (b *batch) prepareForeign(shape ...int) error {
	if b.s.contract.Outputs[0].DType != card.Float16 {
		return nil
	}
	if b.foreign.logits == nil {
		b.foreign.logits = new(buffer[uint16])
	}
	err := b.foreign.logits.resize(b.s.model, 0, shape...)
	b.out[0] = b.foreign.logits.value
	return err
}

// narrow fills the inputs of int32.
func (f *foreignTypes) narrow() {
	for _, n := range f.inputs {
		for i, v := range n.from.data {
			n.to.data[i] = int32(v) // token ids, positions and masks are all small
		}
	}
}

// widen sets the logits to those that the run gave in float16, if it did.
func (f *foreignTypes) widen(logits []float32) {
	if f.logits == nil {
		return
	}
	for i, v := range f.logits.data {
		logits[i] = tensor.Float32FromFloat16(v)
	}
}

func (f *foreignTypes) close() error {
	errs := lists.Map(f.inputs, func(n narrowed) error { return n.to.close() })
	if f.logits != nil {
		errs = append(errs, f.logits.close())
	}
	return errors.Join(errs...)
}
