package card

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// The most that is believed of a file that says how large its values are: memory is
// made for them before the model has run.
const (
	mostVocab = 1 << 24
	mostState = 1 << 28 // elements of a state for one row and one slot
)

// Contract says how a model file is fed, and what it gives.
type Contract struct {
	Inputs []Port // all of them, in the file's order
	// IDs, Mask, Positions, Slots and Keep are the indices of InputIDs, AttentionMask,
	// PositionIDs, CachePosition and LogitsToKeep among Inputs; −1 for what the model
	// does not read.
	IDs, Mask, Positions, Slots, Keep int
	// MaxNew is the index of the port MaxNew, of a file of the form Looped; −1 in others. Of
	// such a file Outputs are OutputIDs and OutputLengths, and it has nothing else but IDs and Mask.
	MaxNew   int
	States   []int  // indices of the states among Inputs, in the order of Card.State
	Outputs  []Port // Logits, then the states in the same order; the file may have more
	Vocab    int    // token ids run from 0 to Vocab−1
	OneToken bool   // the model takes one token at a time
	MaskNew  bool   // the mask covers the new tokens only
	// Unpadded tells that rows of different lengths cannot run together, with any mask.
	Unpadded bool
	// AtOnce tells that a run of several rows that have a past takes one token of each: prompts of
	// several rows are read in one run, of any length.
	AtOnce bool
}

// Contract matches the card with the inputs and outputs that its file declares. What is
// missing, has another type or rank, or is not known here is an error.
func (c Card) Contract(inputs, outputs []Port) (Contract, error) {
	if c.Form == Looped {
		return c.answers(inputs, outputs)
	}
	k := Contract{Inputs: inputs, MaxNew: -1}
	standard := []Port{InputIDs, AttentionMask, PositionIDs, CachePosition, LogitsToKeep}
	for i, at := range []*int{&k.IDs, &k.Mask, &k.Positions, &k.Slots, &k.Keep} {
		var err error
		if *at, err = c.accepts(standard[i], inputs).find(inputs); err != nil {
			return k, err
		}
	}
	logits, err := c.accepts(Logits, outputs).find(outputs)
	switch {
	case err != nil:
		return k, err
	case k.IDs < 0 || logits < 0:
		return k, fmt.Errorf("the model has no input %s or no output %s", InputIDs.Name, Logits.Name)
	case k.Positions >= 0 && !slices.Contains([]string{Contiguous, Offset, Randomized}, c.Positions):
		return k, fmt.Errorf("the model reads %s positions, this program feeds %s ones only", c.Positions, Contiguous)
	}
	k.Outputs = []Port{outputs[logits]}
	for _, s := range c.State {
		if err := k.addState(s, outputs); err != nil {
			return k, fmt.Errorf("state %s of the card: %w", s.Past, err)
		}
	}
	switch inPlace, growing := c.has(InPlace), c.has(Growing); {
	case inPlace && k.Slots < 0:
		return k, fmt.Errorf("a model with a state in place reads %s, and this one does not", CachePosition.Name)
	case inPlace && growing:
		return k, errors.New("the model has states in place and states that grow, and one mask cannot cover both")
	case growing && k.Slots >= 0:
		return k, fmt.Errorf("a model with a state that grows does not read %s, and this one does", CachePosition.Name)
	}
	fed := append([]int{k.IDs, k.Mask, k.Positions, k.Slots, k.Keep}, k.States...)
	for i, p := range inputs {
		if !slices.Contains(fed, i) {
			return k, fmt.Errorf("the model has an input %v that is neither a standard one nor a state of its card", p)
		}
	}
	return k, k.readLengths(len(c.Tokenizer))
}

// accepts returns the port as the file may have it.
func (c Card) accepts(p Port, declared []Port) Port {
	if c.Profile == Foreign {
		return p.typed(declared)
	}
	return p
}

// answers is the contract of a file of the form Looped.
func (c Card) answers(inputs, outputs []Port) (Contract, error) {
	k := Contract{Inputs: inputs, Positions: -1, Slots: -1, Keep: -1, Vocab: len(c.Tokenizer)}
	for _, in := range []struct {
		Port
		at *int
	}{{InputIDs, &k.IDs}, {AttentionMask, &k.Mask}, {MaxNew, &k.MaxNew}} {
		var err error
		if *in.at, err = in.find(inputs); err != nil {
			return k, err
		} else if *in.at < 0 {
			return k, fmt.Errorf("the model has no input %s", in.Name)
		}
	}
	for _, out := range []Port{OutputIDs, OutputLengths} {
		at, err := out.find(outputs)
		if err != nil {
			return k, err
		} else if at < 0 {
			return k, fmt.Errorf("the model has no output %s", out.Name)
		}
		k.Outputs = append(k.Outputs, outputs[at])
	}
	if len(inputs) != 3 {
		return k, fmt.Errorf("the model has %d inputs; one of answers has 3", len(inputs))
	}
	return k, nil
}

// has reports whether a state is of that kind.
func (c Card) has(k kind) bool {
	return slices.ContainsFunc(c.State, func(s State) bool { return s.Kind == k })
}

// addState finds the input and the output of a state.
func (k *Contract) addState(s State, outputs []Port) error {
	past, err := s.Input().find(k.Inputs)
	if err != nil {
		return err
	}
	present, err := s.Output().find(outputs)
	switch {
	case err != nil:
		return err
	case past < 0:
		return fmt.Errorf("the model has no input %s", s.Past)
	case present < 0:
		return fmt.Errorf("the model has no output %s", s.Present)
	}
	elements := 1 // of which the largest product counted is far from overflowing
	for _, n := range s.AppendDims(nil, 1, 1) {
		if elements *= max(min(n, mostState+1), 1); elements > mostState {
			return fmt.Errorf("shape %v has more than %d elements for each row", s.Shape, mostState)
		}
	}
	k.States, k.Outputs = append(k.States, past), append(k.Outputs, outputs[present])
	return nil
}

// readLengths reads what the axes say, of a model with a tokenizer of so many pieces.
func (k *Contract) readLengths(pieces int) error {
	ids, logits := k.Inputs[k.IDs], k.Outputs[0]
	k.OneToken = ids.Shape[1] == "1"
	if fixed(ids.Shape[1]) && !k.OneToken {
		return fmt.Errorf("input %v has a fixed length other than 1", ids)
	}
	k.MaskNew = k.Mask >= 0 && slices.Contains([]string{Seq, "1"}, k.Inputs[k.Mask].Shape[1])
	if k.Vocab = pieces; fixed(logits.Shape[2]) {
		k.Vocab, _ = strconv.Atoi(logits.Shape[2])
	}
	if k.Vocab > mostVocab {
		return fmt.Errorf("output %v gives %d logits; supported are %d", logits, k.Vocab, mostVocab)
	}
	if k.Vocab < 1 || pieces > k.Vocab {
		return fmt.Errorf("output %v gives %d logits, the card's tokenizer has %d pieces", logits, k.Vocab, pieces)
	}
	return nil
}
