package runfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// ErrNoCheckpoint means that a run directory holds no usable checkpoint.
var ErrNoCheckpoint = errors.New("no usable checkpoint")

// RunError says which run an error of several is about.
type RunError struct {
	Dir string
	Err error // names Dir
}

// Error implements error.
func (e *RunError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the run.
func (e *RunError) Unwrap() error { return e.Err }

// Checkpoint is what a checkpoint file holds in addition to the tensors, in its
// safetensors metadata.
type Checkpoint struct {
	Config Config
	Step   int     // updates done
	Loss   float64 // of the last step, nats per target token
	// Weights are the model's, by their own names.
	Weights  map[string]*tensor.Tensor
	M, V     map[string]*tensor.Tensor // first and second moments of AdamW, by the same names
	Progress Progress
}

// Tensors of the optimizer are stored with the weights, under these prefixes.
const (
	FirstMoment  = "optimizer.m."
	SecondMoment = "optimizer.v."
)

// Path is where a run keeps the checkpoint of a step.
func Path(dir string, step int) string {
	return filepath.Join(dir, fmt.Sprintf("checkpoint-%08d.safetensors", step))
}

// Steps returns the steps of the checkpoints in a run directory, newest
// first.
func Steps(dir string) ([]int, error) {
	// Unlike filepath.Glob this takes the directory's own path as it is, which may hold brackets
	// and stars, and says when it cannot be read: to take a run for one without checkpoints
	// would be to begin it anew.
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var steps []int
	for _, e := range entries {
		// Only names as Path has them: a file of another name, such as
		// checkpoint-9.safetensors, is somebody's copy, neither ours to go on from nor
		// ours to remove.
		var n int
		_, err := fmt.Sscanf(e.Name(), "checkpoint-%d.safetensors", &n)
		if err == nil && n >= 0 && Path(dir, n) == filepath.Join(dir, e.Name()) {
			steps = append(steps, n)
		}
	}
	slices.Sort(steps)
	slices.Reverse(steps)
	return steps, nil
}

// Write stores the checkpoint, with its checksum.
func (c *Checkpoint) Write(w io.Writer) error {
	config, err := json.Marshal(c.Config)
	if err != nil {
		return err
	}
	progress, err := json.Marshal(c.Progress)
	if err != nil {
		return err
	}
	return writeChecked(w, c.Tensors(), map[string]string{
		"zoo.config": string(config),
		"zoo.step":   strconv.Itoa(c.Step),
		"zoo.loss":   strconv.FormatFloat(c.Loss, 'g', -1, 64),

		"zoo.progress": string(progress),
	})
}

// Tensors returns weights and moments under the names that they are stored by.
func (c *Checkpoint) Tensors() map[string]*tensor.Tensor {
	all := map[string]*tensor.Tensor{}
	for name, w := range c.Weights {
		all[name], all[FirstMoment+name], all[SecondMoment+name] = w, c.M[name], c.V[name]
	}
	return all
}

// ReadCheckpoint reads a checkpoint file and checks that it holds exactly the
// tensors of its configuration, in their shapes, and that not a bit has changed
// since it was written.
func ReadCheckpoint(path string) (*Checkpoint, error) {
	c, err := readCheckpoint(path)
	if err == nil {
		err = c.Config.From.readTokenizer(filepath.Dir(path))
	}
	return wrap.Value(c, err, "checkpoint %s", path)
}

func readCheckpoint(path string) (*Checkpoint, error) {
	f, size, err := files.OpenRegular(path, math.MaxInt64) // its configuration says how large it may be
	if err != nil {
		return nil, err
	}
	defer f.Close()
	meta, err := tensor.SafetensorsMetadata(f, size)
	if err != nil {
		return nil, err
	}
	c, err := readMetadata(meta)
	if err != nil {
		return nil, err
	}
	model, err := models.New(c.Config.Model)
	if err != nil {
		return nil, err
	}
	const weight = 3 * 4 // bytes, with its two moments
	if most := weight*int64(models.Count(model.Params())) + tensor.MaxHeader; size > most {
		return nil, fmt.Errorf("has %d bytes; with the model of its configuration it has at most %d", size, most)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	all, _, err := tensor.ReadSafetensors(bytes.NewReader(data), size)
	if err != nil {
		return nil, err
	}
	if err := c.take(all, model.Params()); err != nil {
		return nil, err
	}
	// Last, because what is wrong is better said than that something is.
	return c, verifyChecksum(data, meta[checksumKey])
}

// readMetadata reads a checkpoint without the tensors.
func readMetadata(meta map[string]string) (c *Checkpoint, err error) {
	c = &Checkpoint{}
	if err := json.Unmarshal([]byte(meta["zoo.config"]), &c.Config); err != nil {
		return nil, fmt.Errorf("has no readable configuration (zoo.config): %w", err)
	}
	if c.Step, err = strconv.Atoi(meta["zoo.step"]); err != nil || c.Step < 0 {
		return nil, fmt.Errorf("has no step number (zoo.step is %q)", meta["zoo.step"])
	}
	if c.Loss, err = strconv.ParseFloat(meta["zoo.loss"], 64); err != nil {
		return nil, fmt.Errorf("has no loss (zoo.loss is %q)", meta["zoo.loss"])
	}
	if err := json.Unmarshal([]byte(meta["zoo.progress"]), &c.Progress); err != nil {
		return nil, fmt.Errorf("does not say how far its run is (zoo.progress is %q): %w", meta["zoo.progress"], err)
	}
	if c.Config, err = c.Config.Resolve(); err != nil {
		return nil, err
	}
	return c, c.Progress.recall(c.Config)
}

// take sorts the tensors of a file, which must be the model's.
func (c *Checkpoint) take(all map[string]*tensor.Tensor, params []pe.Param) error {
	c.Weights, c.M, c.V = map[string]*tensor.Tensor{}, map[string]*tensor.Tensor{}, map[string]*tensor.Tensor{}
	groups := map[string]map[string]*tensor.Tensor{"": c.Weights, FirstMoment: c.M, SecondMoment: c.V}
	for _, p := range params {
		for prefix, group := range groups {
			name := prefix + p.Name
			t := all[name]
			if t == nil {
				return fmt.Errorf("lacks the tensor %s", name)
			}
			if t.DType() != tensor.Float32 || !slices.Equal(t.Shape(), p.Shape) {
				return fmt.Errorf("tensor %s is %v, the model wants float32%v", name, t, p.Shape)
			}
			group[p.Name] = t
			delete(all, name)
		}
	}
	for name := range all {
		return fmt.Errorf("holds the tensor %s, which the model does not have", name)
	}
	return nil
}

// Latest reads the newest usable checkpoint of a run. Damaged newer ones are
// passed over and named in skipped.
func Latest(dir string) (c *Checkpoint, skipped []error, err error) {
	steps, err := Steps(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range steps {
		c, err := ReadCheckpoint(Path(dir, s))
		if err == nil {
			return c, skipped, nil
		}
		skipped = append(skipped, err)
	}
	return nil, skipped, fmt.Errorf("%s: %w", dir, errors.Join(append([]error{ErrNoCheckpoint}, skipped...)...))
}
