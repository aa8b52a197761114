package task

// ForgetLearnt makes this process another one, as far as the subwords go that it has learnt.
func ForgetLearnt() {
	learnt.Lock()
	defer learnt.Unlock()
	clear(learnt.pieces)
}

// SplitAt is what Sample draws from.
func (t Task) SplitAt(length int, split Split) Split { return t.splitAt(length, split) }

// Parts are the parts of a scratchpad.
type Parts = parts

// ParseParts reads them.
var ParseParts = parseParts

// Format writes steps.
func (f parts) Format(steps []step) string { return f.format(steps) }

// Parse reads them.
func (f parts) Parse(text string) ([]step, string, error) { return f.parse(text) }

// Base is the name of a task without options.
var Base = base
