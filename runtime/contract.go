package runtime

import (
	"fmt"
	"strconv"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
)

// The names of a model file's inputs and outputs other than its state.
const (
	inputIDs       = "input_ids"      // int64 [batch, seq]
	inputMask      = "attention_mask" // int64 [batch, past+seq]; 0 marks padding
	inputPositions = "position_ids"   // int64 [batch, seq]
	inputKeep      = "logits_to_keep" // int64 [1]: for how many last tokens of a row there are logits
	outputLogits   = "logits"         // float32 [batch, kept, vocab]
)

// The axis names that mean something here.
const (
	axisBatch = "batch"
	axisSeq   = "seq"
)

// The most that is believed of a file that says how large its values are: memory is
// made for them before the model has run.
const (
	mostVocab = 1 << 24
	mostState = 1 << 28 // elements of a state for one row and one slot
)

// contiguous is the kind of positions that count 0, 1, 2, … from the first token.
const contiguous = "contiguous"

// contract says which of a model's inputs and outputs is what; inputs that the
// model does not declare have index −1.
type contract struct {
	ids, mask, positions, keep int
	logits                     int
	states                     []state
	vocab                      int
	oneToken                   bool // the model takes one token at a time
	maskNew                    bool // the mask covers the new tokens only
}

// state is one tensor that a run hands to the next.
type state struct {
	past, present int // indices of input and output
	dims          []int
	batch, grows  int // axes of dims that stand for the rows and the slots; −1 for none
	initial       float32
}

// newContract matches a model's inputs and outputs with its card.
func newContract(inputs, outputs []Port, c card.Card) (contract, error) {
	k := contract{
		ids: find(inputs, inputIDs), mask: find(inputs, inputMask),
		positions: find(inputs, inputPositions), keep: find(inputs, inputKeep),
		logits: find(outputs, outputLogits),
	}
	if k.ids < 0 || k.logits < 0 {
		return k, fmt.Errorf("the model has no input %s or no output %s", inputIDs, outputLogits)
	}
	if k.positions >= 0 && c.Positions != contiguous {
		return k, fmt.Errorf("the model reads %s positions, this program feeds %s ones only", c.Positions, contiguous)
	}
	known := map[string]bool{inputIDs: true, inputMask: true, inputPositions: true, inputKeep: true}
	for _, s := range c.State {
		st, err := newState(inputs, outputs, s)
		if err != nil {
			return k, fmt.Errorf("state %s of the card: %w", s.Past, err)
		}
		k.states = append(k.states, st)
		known[s.Past] = true
	}
	for _, p := range inputs {
		if !known[p.Name] {
			return k, fmt.Errorf("the model has an input %v that is neither a standard one nor a state of its card", p)
		}
	}
	if err := k.checkTypes(inputs, outputs); err != nil {
		return k, err
	}
	return k, k.readShapes(inputs, outputs, len(c.Tokenizer))
}

// checkTypes checks what the code relies on when it makes tensors.
func (k *contract) checkTypes(inputs, outputs []Port) error {
	for _, i := range []int{k.ids, k.mask, k.positions, k.keep} {
		if i >= 0 && inputs[i].DType != tensor.Int64 {
			return fmt.Errorf("input %v must be %v", inputs[i], tensor.Int64)
		}
	}
	for _, i := range []int{k.ids, k.mask, k.positions} {
		if i >= 0 && len(inputs[i].Shape) != 2 {
			return fmt.Errorf("input %v must have two axes", inputs[i])
		}
	}
	if p := outputs[k.logits]; p.DType != tensor.Float32 || len(p.Shape) != 3 {
		return fmt.Errorf("output %v must be %v with three axes", p, tensor.Float32)
	}
	return nil
}

func (k *contract) readShapes(inputs, outputs []Port, pieces int) error {
	switch seq := inputs[k.ids].Shape[1]; {
	case seq == "1":
		k.oneToken = true
	case isLength(seq):
		return fmt.Errorf("input %v has a fixed length other than 1", inputs[k.ids])
	}
	if k.mask >= 0 {
		width := inputs[k.mask].Shape[1]
		k.maskNew = width == axisSeq || width == "1"
	}
	vocab := outputs[k.logits].Shape[2]
	if k.vocab = pieces; isLength(vocab) {
		k.vocab, _ = strconv.Atoi(vocab)
	}
	if k.vocab > mostVocab {
		return fmt.Errorf("output %v gives %d logits; supported are %d", outputs[k.logits], k.vocab, mostVocab)
	}
	if k.vocab < 1 || pieces > k.vocab {
		return fmt.Errorf("output %v gives %d logits, the card's tokenizer has %d pieces", outputs[k.logits], k.vocab, pieces)
	}
	return nil
}

func isLength(axis string) bool {
	_, err := strconv.Atoi(axis)
	return err == nil
}

// newState finds the input and output of a state and the meaning of its axes.
func newState(inputs, outputs []Port, s card.State) (state, error) {
	st := state{past: find(inputs, s.Past), present: find(outputs, s.Present), batch: -1, grows: -1, initial: float32(s.Initial)}
	if st.past < 0 {
		return st, fmt.Errorf("the model has no input %s", s.Past)
	}
	if st.present < 0 {
		return st, fmt.Errorf("the model has no output %s", s.Present)
	}
	for _, p := range []Port{inputs[st.past], outputs[st.present]} {
		if p.DType != tensor.Float32 || len(p.Shape) != len(s.Shape) || len(p.Shape) == 0 {
			return st, fmt.Errorf("%v does not fit shape %v of %v", p, s.Shape, tensor.Float32)
		}
	}
	elements := 1
	for i, axis := range s.Shape {
		n, err := strconv.Atoi(axis)
		switch {
		case s.Grows && i == s.Axis:
			st.grows = i
		case axis == axisBatch && st.batch < 0:
			st.batch = i
		case err != nil || n < 0:
			return st, fmt.Errorf("axis %d is %q, expected a length, %s once, or the growing axis", i, axis, axisBatch)
		}
		if elements *= max(min(n, mostState), 1); elements > mostState {
			return st, fmt.Errorf("shape %v has more than %d elements for each row", s.Shape, mostState)
		}
		if declared := inputs[st.past].Shape[i]; err == nil && isLength(declared) && declared != axis {
			return st, fmt.Errorf("axis %d is %s, and %v of the model", i, axis, inputs[st.past])
		}
		st.dims = append(st.dims, max(n, 0))
	}
	return st, nil
}

// compute returns the outputs that the contract uses, which become its own: those
// that nobody asks for, such as attention weights, are not computed.
func (k *contract) compute(outputs []Port) []Port {
	used := []Port{outputs[k.logits]}
	k.logits = 0
	for i := range k.states {
		used = append(used, outputs[k.states[i].present])
		k.states[i].present = i + 1
	}
	return used
}
