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
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train/runfile"
)

// StartFrom has a run begin with the weights that another, in a directory, has now: its newest checkpoint is
// Config.From. A damaged one is an error, and so are weights that the run could not take (see begin). The
// configuration must be resolved.
func StartFrom(c runfile.Config, dir string) (runfile.Config, error) {
	from, err := startAt(dir)
	if err != nil {
		return c, err
	}
	c.From = &from
	_, _, err = begin(c)
	return c, err
}

// startAt describes the newest checkpoint of a run.
func startAt(dir string) (runfile.Start, error) {
	c, damaged, err := runfile.Latest(dir)
	if err == nil && len(damaged) > 0 {
		err = fmt.Errorf("%w; remove it to begin with the one before", errors.Join(damaged...))
	}
	if err != nil {
		return runfile.Start{}, err
	}
	sum, err := sumOf(c.Weights)
	return runfile.Start{Run: filepath.ToSlash(filepath.Clean(dir)), Step: c.Step, Weights: sum,
		Updates: c.Step + c.Config.UpdatesBefore()}, err
}

// begin returns the weights that the run begins with. Config.From's keep what they
// have learned where the model has them too; the others are drawn anew. about says in
// words what was taken from where, "" without such a start. Another architecture or
// vocabulary, or a weight of another shape, is an error. The configuration must be resolved.
func begin(c runfile.Config) (weights map[string]*tensor.Tensor, about string, err error) {
	model, err := models.New(c.Model)
	if err != nil {
		return nil, "", err
	}
	weights = models.InitWeights(model.Params(), c.Train.Seed)
	if c.From == nil {
		return weights, "", nil
	}
	from, err := startOf(c.From)
	if err != nil {
		return nil, "", err
	}
	if err := follows(c, from.Config); err != nil {
		return nil, "", err
	}
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

// follows wants a run whose weights mean what another's do.
func follows(c, was runfile.Config) error {
	if c.Model.Architecture != was.Model.Architecture {
		return fmt.Errorf("train: model.architecture is %s, and in %v it is %s", c.Model.Architecture, c.From,
			was.Model.Architecture)
	}
	now, err := c.Data()
	if err != nil {
		return err
	}
	before, err := was.Data()
	if err != nil {
		return err
	}
	if !slices.Equal(now.Pieces, before.Pieces) {
		return fmt.Errorf("train: task %s has another vocabulary than %v, which was trained on %s", c.Train.Task,
			c.From, was.Train.Task)
	}
	return nil
}

// sumOf returns the SHA-256 of weights, in hex.
func sumOf(weights map[string]*tensor.Tensor) (string, error) {
	h := sha256.New()
	err := tensor.WriteSafetensors(h, weights, nil)
	return hex.EncodeToString(h.Sum(nil)), err
}

// startOf reads the checkpoint that s names, and holds it against s.
func startOf(s *runfile.Start) (*runfile.Checkpoint, error) {
	c, err := runfile.ReadCheckpoint(runfile.Path(s.Run, s.Step))
	if err != nil {
		return nil, fmt.Errorf("train: the run begins with the weights of %v, which are not there any more: %w", s, err)
	}
	sum, err := sumOf(c.Weights)
	if err == nil && sum != s.Weights {
		err = fmt.Errorf("train: the run begins with the weights of %v, and those there are others now", s)
	}
	return c, err
}
