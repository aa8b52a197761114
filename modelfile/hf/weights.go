package hf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/models/pe"
)

// stored is a tensor and the file that it is in.
type stored struct {
	*tensor.Tensor
	file string
}

// readWeights reads a folder's weights and checks that they are those
// of a model with the parameters params. The error names everything that is
// wrong, up to a limit.
func readWeights(dir string, params []pe.Param) (map[string]*tensor.Tensor, error) {
	listing, all, err := readTensors(dir, roomFor(params), nil)
	if err != nil {
		return nil, err
	}
	var problems []error
	out := make(map[string]*tensor.Tensor, len(params))
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
		s, ok := all[p.Name]
		if !ok {
			problems = append(problems, fmt.Errorf("%s: lacks the tensor %s of shape %v", listing, p.Name, p.Shape))
			continue
		}
		delete(all, p.Name)
		if err := checkWeight(s.Tensor, p.Shape); err != nil {
			problems = append(problems, fmt.Errorf("%s: tensor %s: %w", s.file, p.Name, err))
		}
		out[p.Name] = s.Tensor
	}
	n := len(problems) + len(all)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if len(problems) >= mostProblems {
			break // a hostile file has many
		}
		problems = append(problems, fmt.Errorf("%s: the model of %s has no such tensor: %w",
			all[name].file, configFile, suggest.Unknown("tensor", name, names)))
	}
	return out, joinFirst(problems, n)
}

// roomFor is how many bytes a file of a folder has at most. Four times what the model needs in 32 bits leave room
// for tensors that do not belong there, so that the error can name them.
func roomFor(params []pe.Param) int64 {
	room := int64(tensor.MaxHeader)
	for _, p := range params {
		room += 4 * 4 * int64(tensor.Numel(p.Shape))
	}
	return room
}

// mostProblems are named of a folder: a hostile one has many.
const mostProblems = 10

// joinFirst is errors.Join of the first of n problems.
func joinFirst(problems []error, n int) error {
	if n > mostProblems {
		problems = append(slices.Clone(problems[:mostProblems]), fmt.Errorf("and %d more", n-mostProblems))
	}
	return errors.Join(problems...)
}

// checkWeight reports what keeps a stored tensor from being a parameter of a shape.
func checkWeight(t *tensor.Tensor, shape []int) error {
	if !slices.Equal(t.Shape(), shape) {
		return fmt.Errorf("has the shape %v, %s wants %v", t.Shape(), configFile, shape)
	}
	if t.DType() != tensor.Float32 && !t.DType().Halves() {
		return fmt.Errorf("is %v: want F32, F16 or BF16", t.DType())
	}
	return tensor.CheckFinite(t)
}

// readTensors reads all tensors of a folder. listing is the file that says which
// there are: like Hugging Face's tools it is the single file where there is one,
// else the index. A file has at most that many bytes. What is read of the weights' files goes to d, which may be nil.
func readTensors(dir string, most int64, d *digest) (listing string, all map[string]stored, err error) {
	listing = filepath.Join(dir, weightsFile)
	if _, err := os.Stat(listing); err == nil {
		all, err = readShard(listing, most, d)
		return listing, all, err
	}
	listing = filepath.Join(dir, indexFile)
	shards, err := readIndex(listing)
	if errors.Is(err, fs.ErrNotExist) {
		return listing, nil, fmt.Errorf("%s: holds neither %s nor %s: %w", dir, weightsFile, indexFile, fs.ErrNotExist)
	}
	if err != nil {
		return listing, nil, err
	}
	if err := d.file(listing); err != nil {
		return listing, nil, err
	}
	all = map[string]stored{}
	for _, file := range slices.Sorted(maps.Keys(shards)) {
		found, err := readShard(filepath.Join(dir, file), most, d)
		if err != nil {
			return listing, nil, err
		}
		for _, name := range shards[file] {
			if _, ok := found[name]; !ok {
				return listing, nil, fmt.Errorf("%s: lacks the tensor %s, which %s says is there",
					filepath.Join(dir, file), clip([]byte(name)), indexFile)
			}
		}
		if len(found) != len(shards[file]) {
			return listing, nil, fmt.Errorf("%s: holds %d tensors, %s names %d of them",
				filepath.Join(dir, file), len(found), indexFile, len(shards[file]))
		}
		maps.Copy(all, found)
	}
	return listing, all, nil
}

// readShard reads one file of at most that many bytes.
func readShard(path string, most int64, d *digest) (map[string]stored, error) {
	f, size, err := files.OpenRegular(path, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	tensors, _, err := tensor.ReadSafetensors(d.over(f), size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out := make(map[string]stored, len(tensors))
	for name, t := range tensors {
		out[name] = stored{t, path}
	}
	return out, nil
}

// readIndex returns the names of the tensors in each file of an index.
func readIndex(path string) (map[string][]string, error) {
	var index struct {
		Files map[string]string `json:"weight_map"`
	}
	if err := readJSON(path, &index); err != nil {
		return nil, err
	}
	if len(index.Files) == 0 {
		return nil, fmt.Errorf("%s: has no weight_map, or an empty one", path)
	}
	out := map[string][]string{}
	for name, file := range index.Files {
		// A file elsewhere is no part of the folder that was named.
		if !filepath.IsLocal(file) || filepath.Base(file) != file {
			return nil, fmt.Errorf("%s: weight_map gives %s the file %q: want the name of a file in the folder",
				path, clip([]byte(name)), file)
		}
		out[file] = append(out[file], name)
	}
	return out, nil
}

// maxJSON is the largest JSON file that is read, in bytes: far above a tokenizer
// of the largest vocabulary.
const maxJSON = 100_000_000

func readJSON(path string, into any) error {
	data, err := files.ReadRegular(path, maxJSON)
	if err != nil {
		return err
	}
	return wrap.Error(json.Unmarshal(data, into), "%s", path)
}
