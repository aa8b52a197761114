package runfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/tokenizer"
)

// Start names the weights that a run begins with. Of another run they make it a second phase: to train with an encoding and
// go on without is DroPE (Gelberg et al. 2025, arXiv 2512.12167).
type Start struct {
	Run     string `json:"run"`     // the run's directory, or the folder or file of a model that is no run
	Step    int    `json:"step"`    // of the checkpoint; 0 for a pretrained model
	Weights string `json:"weights"` // SHA-256 of the weights, in hex
	// Updates is how many made the weights: Step, and the updates of earlier phases. The data of the
	// second phase are of the steps after them.
	Updates int `json:"updates"`
	// Change is how the model was changed before its first step, as models.Intervention tells it; "" for not.
	Change string `json:"change,omitempty"`
	// Pretrained is the model that others trained; nil where the weights come from zoo alone.
	Pretrained *card.Pretrained `json:"pretrained,omitempty"`
	// Tokenizer is the tokenizer.json of that model, of which the run's directory has a copy.
	Tokenizer []byte `json:"-"`
}

// String names the start for people; a run without one starts random.
func (s *Start) String() string {
	if s == nil {
		return "random weights"
	}
	text := s.Run
	if s.Step > 0 {
		text += fmt.Sprintf(", step %d", s.Step)
	}
	if s.Change != "" {
		text += ", changed by " + s.Change
	}
	return text
}

// name is the start in the names of runs: llama-yarn2 for the folder llama with yarn:2.
func (s *Start) name() string {
	name := filepath.Base(s.Run)
	if ext := filepath.Ext(name); strings.EqualFold(ext, ".gguf") {
		name = strings.TrimSuffix(name, ext)
	}
	if s.Change == "" {
		return name
	}
	return name + "-" + strings.NewReplacer(":", "", "=", "", ", ", "-", ",", "-", "/", "-", "*", "x").Replace(s.Change)
}

// pretrained is Start.Pretrained, also of no start.
func (s *Start) pretrained() *card.Pretrained {
	if s == nil {
		return nil
	}
	return s.Pretrained
}

// UpdatesBefore is how many updates the weights have seen that the run begins with.
func (c Config) UpdatesBefore() int {
	if c.From == nil {
		return 0
	}
	return c.From.Updates
}

// check reports what no start can be.
func (s *Start) check() error {
	if s != nil && (s.Run == "" || s.Step < 0 || s.Updates < s.Step || len(s.Weights) != 2*sha256.Size) {
		return fmt.Errorf("from %+v: want run, step, updates and the hash of the weights, "+
			"as zoo train --from stores them", *s)
	}
	return nil
}

// maxTokenizer is the largest tokenizer.json that is read, in bytes.
const maxTokenizer = 100_000_000

// readTokenizer fills in the tokenizer from a run's directory.
func (s *Start) readTokenizer(dir string) error {
	if s.pretrained() == nil {
		return nil
	}
	path, hash := filepath.Join(dir, tokenizer.File), s.Pretrained.TokenizerSHA256
	data, err := files.ReadRegular(path, maxTokenizer)
	if errors.Is(err, fs.ErrNotExist) || err == nil && fmt.Sprintf("%x", sha256.Sum256(data)) != hash {
		return fmt.Errorf("%s is not the tokenizer that the run began with; put back the one with the SHA-256 %s", path, hash)
	}
	s.Tokenizer = data
	return err
}

// Words reads Tokenizer; nil where there is none.
func (s *Start) Words() (tokenizer.Coder, error) {
	if s.pretrained() == nil {
		return nil, nil
	}
	library, err := tokenizer.Linked()
	if err != nil {
		return nil, err
	}
	words, err := library.Parse(s.Tokenizer)
	return wrap.Value(words, err, "the tokenizer of %v", s)
}
