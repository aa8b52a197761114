package runtime

// NoToken stands in a Step for a row that gets no token with it: it has ended before, or see Batcher.
const NoToken int64 = -1

// Step is what one step of Generate adds.
type Step struct {
	// Tokens holds the new token of each prompt, a stop token being the last of
	// its row; NoToken for rows that have ended, and see Batcher. The next step overwrites it.
	Tokens []int64

	// LogProbs holds the log-probabilities of each of Tokens but NoToken, where
	// GenerateOptions.LogProbs asks for them; else it is nil. The next step overwrites it, and
	// what it refers to.
	LogProbs []LogProbs

	// Finish says of each row how it has ended with this step; it is empty while the row
	// goes on, and for rows that have ended before. The next step overwrites it.
	Finish []string

	texts  []string // what the tokens have added to the texts, where they are wanted
	starts []int    // characters of the texts before the tokens, there
}

// newStep returns the step of a call with so many prompts.
func newStep(prompts int, opt GenerateOptions) Step {
	s := Step{Tokens: make([]int64, prompts), Finish: make([]string, prompts)}
	if opt.LogProbs {
		s.LogProbs = make([]LogProbs, prompts)
	}
	if opt.spaced != nil {
		s.texts, s.starts = make([]string, prompts), make([]int, prompts)
	}
	return s
}

// clear empties the step.
func (s Step) clear() {
	for i := range s.Tokens {
		s.Tokens[i] = NoToken
	}
	clear(s.LogProbs)
	clear(s.Finish)
	clear(s.texts)
}

// add puts in what a prompt has got.
func (s Step) add(t newToken) {
	s.Tokens[t.index], s.Finish[t.index] = t.id, t.finish
	if s.LogProbs != nil {
		s.LogProbs[t.index] = t.probs
	}
	if s.texts != nil {
		s.texts[t.index], s.starts[t.index] = t.piece, t.start
	}
}
