package train

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/tokenizer"
	"github.com/nopezoo/zoo/train/runfile"
)

// StartAt describes the weights that are at a path now: the newest checkpoint of a run, or a folder or file that
// hf.Read reads. A damaged checkpoint is an error, and so is a pretrained model without a tokenizer.
func StartAt(path string) (*runfile.Start, error) {
	at := &runfile.Start{Run: filepath.ToSlash(filepath.Clean(path))}
	var weights map[string]*tensor.Tensor
	if hf.IsFolder(path) || hf.IsGGUF(path) {
		m, err := hf.Read(path)
		if err != nil {
			return nil, err
		}
		if m.Card.Pretrained != nil && len(m.TokenizerFile) == 0 {
			return nil, fmt.Errorf("%s came without a %s, and texts have no tokens without one; put the model's own beside its weights",
				path, tokenizer.File)
		}
		at.Step, at.Updates, weights = m.Card.Steps, m.Card.Steps, m.Weights
		at.Pretrained, at.Tokenizer = m.Card.Pretrained, m.TokenizerFile
	} else {
		if _, err := runfile.ReadConfig(path); err != nil {
			return nil, err
		}
		c, damaged, err := runfile.Latest(path)
		if err == nil && len(damaged) > 0 {
			err = fmt.Errorf("%w; remove it to begin with the one before", errors.Join(damaged...))
		}
		if err != nil {
			return nil, err
		}
		at.Step, at.Updates, weights = c.Step, c.Step+c.Config.UpdatesBefore(), c.Weights
		if was := c.Config.From; was != nil {
			at.Pretrained, at.Tokenizer = was.Pretrained, was.Tokenizer
		}
	}
	var err error
	at.Weights, err = sumOf(weights)
	return at, err
}

// StartFrom returns the configuration of a run that begins with the weights of Config.From, changed by an intervention.
// Weights that the run could not take are an error (see begin), and so are sequences longer than a pretrained model
// declares, where its rotation stays as it is. The configuration must be resolved.
func StartFrom(c runfile.Config, i models.Intervention) (runfile.Config, error) {
	from, err := startOf(c.From)
	if err != nil {
		return c, err
	}
	if c.Model, err = i.Apply(c.Model, from.TrainedTokens); err != nil {
		return c, err
	}
	changed := *c.From
	changed.Change = i.String()
	c.From = &changed
	if p := c.From.Pretrained; p != nil && p.DeclaredLength > 0 && i.RoPE == "" && strings.Contains(c.Model.Encoding, "rope") &&
		string(c.Model.EncodingParams) == string(from.Config.EncodingParams) {
		d, err := c.Data()
		if err != nil {
			return c, err
		}
		if n := d.Span.Max; n > p.DeclaredLength {
			return c, fmt.Errorf("train.lengths %s: %v declares %d tokens; lower it, or change how the positions are told, such as "+
				"with --rope yarn:%d or --pe nope", d.Ranges, c.From, p.DeclaredLength, (n+p.DeclaredLength-1)/p.DeclaredLength)
		}
	}
	_, _, err = beginWith(from, c)
	return c, err
}

// startOf reads the weights that s names, and holds them against s.
func startOf(s *runfile.Start) (from modelfile.Model, err error) {
	if hf.IsFolder(s.Run) || hf.IsGGUF(s.Run) {
		from, err = hf.Read(s.Run)
	} else {
		var c *runfile.Checkpoint
		if c, err = runfile.ReadCheckpoint(runfile.Path(s.Run, s.Step)); err == nil {
			from.Config, from.Weights = c.Config.Model, c.Weights
			from.Card, err = c.Card("")
		}
	}
	if err != nil {
		return from, fmt.Errorf("train: the run begins with the weights of %v, which are not there any more: %w", s, err)
	}
	sum, err := sumOf(from.Weights)
	if err == nil && sum != s.Weights {
		err = fmt.Errorf("train: the run begins with the weights of %v, and those there are others now", s)
	}
	return from, err
}

// begin returns the weights that the run begins with. Config.From's keep what they
// have learned where the model has them too; the others are drawn anew. about says in
// words what was taken from where, "" without such a start. Another architecture or
// vocabulary, or a weight of another shape, is an error. The configuration must be resolved.
func begin(c runfile.Config) (weights map[string]*tensor.Tensor, about string, err error) {
	if c.From != nil {
		from, err := startOf(c.From)
		if err != nil {
			return nil, "", err
		}
		return beginWith(from, c)
	}
	model, err := models.New(c.Model)
	if err != nil {
		return nil, "", err
	}
	return models.InitWeights(model.Params(), c.Train.Seed), "", nil
}

// beginWith is begin for a run that begins with a model's weights, of which those that it does not take remain.
func beginWith(from modelfile.Model, c runfile.Config) (weights map[string]*tensor.Tensor, about string, err error) {
	model, err := models.New(c.Model)
	if err != nil {
		return nil, "", err
	}
	if err := follows(c, from); err != nil {
		return nil, "", err
	}
	weights = models.InitWeights(model.Params(), c.Train.Seed)
	var drawn []string
	for _, p := range model.Params() {
		w := from.Weights[p.Name]
		if w == nil {
			drawn = append(drawn, p.Name)
			continue
		}
		if !slices.Equal(w.Shape(), p.Shape) {
			return nil, "", fmt.Errorf("train: weight %s is %v, and in %v it is %v; "+
				"only what keeps the shapes can be changed", p.Name, p.Shape, c.From, w.Shape())
		}
		weights[p.Name] = w
		delete(from.Weights, p.Name)
	}
	about = fmt.Sprintf("begins with the weights of %v", c.From)
	if dropped := slices.Sorted(maps.Keys(from.Weights)); len(dropped) > 0 {
		about += ", without " + strings.Join(dropped, ", ")
	}
	if len(drawn) > 0 {
		about += ", with new " + strings.Join(drawn, ", ")
	}
	return weights, about, nil
}

// follows wants a run whose weights mean what a model's do.
func follows(c runfile.Config, from modelfile.Model) error {
	if c.Model.Architecture != from.Config.Architecture {
		return fmt.Errorf("train: model.architecture is %s, and in %v it is %s", c.Model.Architecture, c.From,
			from.Config.Architecture)
	}
	d, err := c.Data()
	if err != nil {
		return err
	}
	if !slices.Equal(d.Pieces, from.Card.Tokenizer) {
		return fmt.Errorf("train: task %s has another vocabulary than %v, which was trained on %s", c.Train.Task,
			c.From, from.Card.Task)
	}
	return nil
}

// sumOf returns the SHA-256 of weights, in hex.
func sumOf(weights map[string]*tensor.Tensor) (string, error) {
	h := sha256.New()
	err := tensor.WriteSafetensors(h, weights, nil)
	return hex.EncodeToString(h.Sum(nil)), err
}
