package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/tokenizer"
	"github.com/nopezoo/zoo/train/runfile"
)

// text draws the sequences of a run on running text. The training documents, in a new order
// each epoch, are one stream with an end token before each; it is cut into windows of the
// trained length, which come in an order of their own. So every token is a label once an epoch, but
// for fewer than a window of them at the stream's end, and a window may hold parts of
// several documents, all of which the model sees.
type text struct {
	corpora []task.Task
	length  int // tokens of a window
	seed    uint64
	tok     *tokenizer.Tokenizer

	vocab int            // tokens that the model has
	from  *runfile.Start // of a pretrained model, whose tokenizer takes the place of tok; else nil

	documents [][]uint32 // with the end token before each; nil until they are read
	tokens    int        // of all

	epoch  int // of stream and order
	stream []uint32
	order  []int // of windows
}

// textStream sets these draws apart from dropout's and positions'.
const textStream = 0x74657874

// load reads and encodes the documents, once.
func (s *text) load() error {
	if s.documents != nil {
		return nil
	}
	words, before, err := s.words()
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	for _, t := range s.corpora {
		encoded, err := t.Corpus.Encoded(words, task.Train)
		if err != nil {
			return fmt.Errorf("train: %w", err)
		}
		for _, ids := range encoded {
			var d []uint32
			for _, id := range slices.Concat(before, ids) {
				if id < 0 || id >= int64(s.vocab) {
					return fmt.Errorf("train: the tokenizer gives the token %d, and the model has the tokens 0 to %d; "+
						"take the tokenizer that belongs to the model", id, s.vocab-1)
				}
				d = append(d, uint32(id))
			}
			s.documents = append(s.documents, d)
			s.tokens += len(d)
		}
	}
	if s.windows() < 1 {
		err := fmt.Errorf("train: the training documents have %d tokens, less than a window of %d; lower train.lengths, "+
			"or take more text", s.tokens, s.length)
		s.documents = nil
		return err
	}
	return nil
}

// words returns what encodes the documents, and what stands before each: the end token. Of a pretrained model it is
// the first that ends its texts, if there is one, and then what its tokenizer puts before a text.
func (s *text) words() (words tokenizer.Coder, before []int64, err error) {
	if s.from == nil {
		return s.tok, []int64{tokenizer.EOS}, nil
	}
	if words, err = s.from.Words(); err != nil {
		return nil, nil, err
	}
	ends := s.from.Pretrained.Ends
	first, err := words.EncodePrompt(context.Background(), "")
	return words, slices.Concat(ends[:min(1, len(ends))], first), err
}

// windows is their number in an epoch. The last token of one is the first of the next.
func (s *text) windows() int { return (s.tokens - 1) / s.length }

// window returns the n-th of the run.
func (s *text) window(n int) (sequence, error) {
	if err := s.load(); err != nil {
		return sequence{}, err
	}
	if epoch := n / s.windows(); s.stream == nil || s.epoch != epoch {
		rng := rand.New(rand.NewPCG(s.seed, uint64(key(s.seed).with(textStream).with(uint64(epoch)))))
		s.epoch, s.stream = epoch, s.stream[:0]
		for _, i := range rng.Perm(len(s.documents)) {
			s.stream = append(s.stream, s.documents[i]...)
		}
		s.order = rng.Perm(s.windows())
	}
	at := s.order[n%s.windows()] * s.length
	q := sequence{ids: make([]int64, s.length+1), start: 1}
	for i, id := range s.stream[at : at+s.length+1] {
		q.ids[i] = int64(id)
	}
	return q, nil
}

// ErrNoText is returned (wrapped) for a run whose task is no running text.
var ErrNoText = errors.New("the run is on no running text")

// Text says for people how much running text there is for a run, and how often it reads it. It
// reads the corpora. The error wraps ErrNoText for a run on anything else.
func Text(c runfile.Config) (string, error) {
	if d, err := c.Data(); err != nil || !d.Text {
		return "", cmp.Or(err, fmt.Errorf("train.task %s: %w", c.Train.Task, ErrNoText))
	}
	s, err := newSource(c)
	if err != nil {
		return "", err
	}
	if err := s.text.load(); err != nil {
		return "", err
	}
	bytes := 0
	for _, t := range s.tasks {
		documents, err := t.Corpus.Documents(task.Train)
		if err != nil {
			return "", err
		}
		for _, d := range documents {
			bytes += len(d.Text)
		}
	}
	seen := float64(c.Train.Steps) * float64(c.Train.Batch) * float64(s.text.length)
	return fmt.Sprintf("%s of text, %s bytes in %s tokens; %s read %s tokens, %.1f epochs", human.Plural(len(s.text.documents), "document", "documents"),
		human.Count(float64(bytes)), human.Count(float64(s.text.tokens)), human.Plural(c.Train.Steps, "step", "steps"), human.Count(seen),
		seen/float64(s.text.tokens)), nil
}
