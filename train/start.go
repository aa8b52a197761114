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
// declares, where its rotation stays as it is. The configuration must be resolved. The weights themselves are not read: the
// run does so when it begins, and holds them against Config.From.
func StartFrom(c runfile.Config, i models.Intervention) (runfile.Config, error) {
	from, shapes, err := describeStart(c.From)
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
	_, _, err = taken(c, from, shapes)
	return c, err
}

// describeStart is startOf without the weights, of which it has the shapes.
func describeStart(s *runfile.Start) (from modelfile.Model, shapes map[string][]int, err error) {
	if hf.IsFolder(s.Run) || hf.IsGGUF(s.Run) {
		from, err = hf.Describe(s.Run)
	} else {
		c := &runfile.Checkpoint{Step: s.Step}
		if c.Config, err = runfile.ReadConfig(s.Run); err == nil {
			from.Config = c.Config.Model
			from.Card, err = c.Card("")
		}
	}
	if err != nil {
		return from, nil, gone(s, err)
	}
	model, err := models.New(from.Config)
	if err != nil {
		return from, nil, err
	}
	shapes = map[string][]int{}
	for _, p := range model.Params() {
		shapes[p.Name] = p.Shape
	}
	return from, shapes, nil
}

// gone is the error of weights that cannot be read any more.
func gone(s *runfile.Start, err error) error {
	return fmt.Errorf("train: the run begins with the weights of %v, which are not there any more: %w", s, err)
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
		return from, gone(s, err)
	}
	if sameFiles(s, from) {
		return from, nil
	}
	sum, err := sumOf(from.Weights)
	if err == nil && sum != s.Weights {
		err = fmt.Errorf("train: the run begins with the weights of %v, and those there are others now", s)
	}
	return from, err
}

// sameFiles reports whether weights were read from the files that s was made from, by the hash that package hf computes beside
// reading what others have published: then they need no second one.
func sameFiles(s *runfile.Start, from modelfile.Model) bool {
	is := from.Card.Pretrained
	if s.Pretrained == nil || is == nil || is.SHA256 != s.Pretrained.SHA256 {
		return false
	}
	described, err := hf.Describe(s.Run)
	return err == nil && described.Card.Pretrained.SHA256 == "" // else it is what an import was told
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

// beginWith is begin for a run that begins with a model's weights.
func beginWith(from modelfile.Model, c runfile.Config) (weights map[string]*tensor.Tensor, about string, err error) {
	shapes := map[string][]int{}
	for name, w := range from.Weights {
		shapes[name] = w.Shape()
	}
	model, about, err := taken(c, from, shapes)
	if err != nil {
		return nil, "", err
	}
	weights = models.InitWeights(model.Params(), c.Train.Seed)
	for name := range weights {
		if w := from.Weights[name]; w != nil {
			weights[name] = w
		}
	}
	return weights, about, nil
}

// taken returns the model of a run, and says in words what it takes of weights with some shapes.
func taken(c runfile.Config, from modelfile.Model, shapes map[string][]int) (model models.Model, about string, err error) {
	if model, err = models.New(c.Model); err != nil {
		return nil, "", err
	}
	if err := follows(c, from); err != nil {
		return nil, "", err
	}
	var drawn []string
	dropped := maps.Clone(shapes)
	for _, p := range model.Params() {
		shape, there := shapes[p.Name]
		if !there {
			drawn = append(drawn, p.Name)
			continue
		}
		if !slices.Equal(shape, p.Shape) {
			return nil, "", fmt.Errorf("train: weight %s is %v, and in %v it is %v; "+
				"only what keeps the shapes can be changed", p.Name, p.Shape, c.From, shape)
		}
		delete(dropped, p.Name)
	}
	about = fmt.Sprintf("begins with the weights of %v", c.From)
	if len(dropped) > 0 {
		about += ", without " + strings.Join(slices.Sorted(maps.Keys(dropped)), ", ")
	}
	if len(drawn) > 0 {
		about += ", with new " + strings.Join(drawn, ", ")
	}
	return model, about, nil
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

// summing is called for each hash of weights, for tests that count them.
var summing = func() {}

// sumOf returns the SHA-256 of weights, in hex.
func sumOf(weights map[string]*tensor.Tensor) (string, error) {
	summing()
	h := sha256.New()
	err := tensor.WriteSafetensors(h, weights, nil)
	return hex.EncodeToString(h.Sum(nil)), err
}
