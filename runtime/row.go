package runtime

import (
	"slices"
)

// How completions end. The zero value stands for one that goes on.
const (
	FinishToken  = "stop token"  // its last token is one of GenerateOptions.Stop
	FinishString = "stop string" // its text has one of GenerateOptions.StopStrings
	FinishLimit  = "limit"       // it has as many tokens as it may have
)

// newToken is a token that a prompt has got.
type newToken struct {
	index  int // of the prompt
	id     int64
	probs  LogProbs // where they are wanted
	piece  string   // what the token has added to the text for certain, where that is wanted
	start  int      // characters of the text before the token, there
	finish string
}

// row is a prompt being continued.
type row struct {
	prompt []int64
	*sampler
	newToken // the last one
	stops    []int64
	left     int             // tokens it may still get
	text     *completionText // nil where nothing asks for it
	logProbs bool
	top      int // how many of the most probable tokens are told

	prefix *Prefix      // that has been read, or nil
	unread int          // tokens of the prompt that have not run
	call   *batcherCall // that asks for it, of a Batcher; else nil
}

func (r *row) ended() bool { return r.finish != "" }

// done reports whether nothing more is to be computed for the row.
func (r *row) done() bool { return r.ended() || r.call != nil && r.call.over.Load() }

// next returns the token that runs next.
func (r *row) next() int64 {
	if r.unread > 0 {
		return r.prompt[len(r.prompt)-r.unread]
	}
	return r.id
}

// take chooses the next token.
func (r *row) take(logits []float32) error {
	id, err := r.choose(logits)
	if err != nil {
		return err
	}
	if r.logProbs {
		if err := r.probs.set(logits, id, r.top); err != nil {
			return err
		}
	}
	return r.accept(id)
}

// accept makes a token the next one.
func (r *row) accept(id int64) (err error) {
	r.id = id
	r.left--
	switch {
	case slices.Contains(r.stops, id):
		r.finish = FinishToken
	case r.left == 0:
		r.finish = FinishLimit
	}
	if r.text == nil {
		return nil
	}
	stopped := false
	if r.piece = ""; r.finish != FinishToken {
		if r.piece, stopped, err = r.text.add(id); err != nil {
			return err
		}
		r.start = r.text.start
	}
	if r.ended() && !stopped {
		var rest string
		rest, stopped = r.text.finish()
		r.piece += rest
	}
	if r.finish == FinishToken {
		r.start = r.text.made
	}
	if stopped {
		r.finish = FinishString
	}
	return nil
}
