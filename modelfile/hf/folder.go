package hf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/tokenizer"
)

// The files of a folder.
const (
	configFile          = "config.json"
	weightsFile         = "model.safetensors"
	indexFile           = "model.safetensors.index.json"
	tokenizerConfigFile = "tokenizer_config.json"
)

// pickled are names of weights in PyTorch's own form, which are not read: reading them runs code.
var pickled = []string{"pytorch_model.bin", "pytorch_model.bin.index.json"}

// IsFolder reports whether a directory holds a model in this form, by the names
// of its files. One with pickled weights alone does, so that Read says what to do.
func IsFolder(dir string) bool {
	return holds(dir, weightsFile, indexFile) || holds(dir, pickled...) && !holds(dir, "model.onnx", "onnx/model.onnx")
}

// holds reports whether a directory has one of some files.
func holds(dir string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && !info.IsDir()
	})
}

// Read reads a model, its weights in float32: a folder of zoo's, or one of a pretrained decoder (families), or such a
// decoder's file in llama.cpp's format. What is malformed or does not fit is an error that names the file, what is
// there and what should be.
func Read(path string) (modelfile.Model, error) {
	m, err := Stored(path)
	if err != nil {
		return m, err
	}
	for name, w := range m.Weights {
		m.Weights[name] = float32s(w) // one after the other, so that few are there twice
	}
	return m, nil
}

// Stored is Read with weights in the precision in which they are stored.
func Stored(path string) (modelfile.Model, error) {
	if IsGGUF(path) {
		return readGGUF(path)
	}
	m, made, f, err := describe(path)
	if err != nil {
		return m, err
	}
	if f.rename == nil {
		m.Weights, err = readWeights(path, made.Params())
		return m, err
	}
	m.Weights, m.Card.Pretrained.SHA256, err = f.readWeights(path, made)
	return m, err
}

// Describe is Read without the weights, and without their hash.
func Describe(path string) (modelfile.Model, error) {
	if IsGGUF(path) {
		return describeGGUF(path)
	}
	m, _, _, err := describe(path)
	return m, err
}

// describe returns all but the weights, and the family of a model that others trained.
func describe(dir string) (m modelfile.Model, made models.Model, f family, err error) {
	if info, err := os.Stat(dir); err != nil {
		return m, nil, f, err
	} else if !info.IsDir() {
		return m, nil, f, fmt.Errorf("%s is a file: want a folder with %s and %s, or a GGUF file", dir, configFile, weightsFile)
	}
	if holds(dir, pickled...) && !holds(dir, weightsFile, indexFile) {
		return m, nil, f, fmt.Errorf("%s has its weights in %s alone, a form whose readers run code that is in it; make safetensors of them: "+
			"python3 -c 'from transformers import AutoModelForCausalLM as A; A.from_pretrained(%q).save_pretrained(%q)'", dir, pickled[0], dir, dir)
	}
	if err := checkLinks(dir); err != nil {
		return m, nil, f, err
	}
	path := filepath.Join(dir, configFile)
	var d document
	if err := readJSON(path, &d); err != nil {
		return m, nil, f, err
	}
	if f, foreign := d.family(); foreign {
		if m.Config, err = d.pretrained(f); err == nil {
			made, err = models.New(m.Config)
		}
		if err != nil {
			return m, nil, f, fmt.Errorf("%s: %w", path, err)
		}
		m.Config = made.Config()
		m.Card.Pretrained, m.TokenizerFile, err = d.origin(dir)
		return m, made, f, err
	}
	var before provenance
	_ = json.Unmarshal(d[provenanceKey], &before) // model reads it again, and says what is wrong
	var pieces []string
	if p := before.Pretrained; p != nil {
		m.TokenizerFile, err = tokenizerWith(dir, p.TokenizerSHA256)
	} else {
		pieces, err = readTokenizer(dir)
	}
	if err != nil {
		return m, nil, f, err
	}
	file := m.TokenizerFile
	m, made, err = d.model(pieces)
	if err != nil {
		return m, nil, f, fmt.Errorf("%s: %w", path, err)
	}
	m.TokenizerFile = file
	return m, made, f, nil
}

// model makes of the document all but the weights.
func (d document) model(pieces []string) (modelfile.Model, models.Model, error) {
	var m modelfile.Model
	cfg, err := d.config()
	if err != nil {
		return m, nil, err
	}
	if err := d.checkKeys(); err != nil {
		return m, nil, err
	}
	made, err := models.New(cfg)
	if err != nil {
		return m, nil, err
	}
	if err := d.checkDerived(made, pieces); err != nil {
		return m, nil, err
	}
	m.Config = made.Config()
	if n := m.Config.VocabSize; len(pieces) > n {
		return m, nil, fmt.Errorf("vocab_size is %d: %s has %d pieces", n, tokenizer.File, len(pieces))
	}
	m.Card, err = d.provenance()
	m.Card.Tokenizer = pieces
	return m, made, err
}

// Write makes the folder dir, or replaces it when it is one that Write made.
// Whoever looks sees the old one or the whole new one, or none between the two.
// Equal models give equal bytes.
func Write(dir string, m modelfile.Model) error {
	contents, err := documents(m)
	if err != nil {
		return err
	}
	if err := replaceable(dir); err != nil {
		return err
	}
	if end, err := filepath.EvalSymlinks(dir); err == nil {
		dir = end // a link stays
	} else if end, err := os.Readlink(dir); err == nil {
		return fmt.Errorf("%s is a link to %s, which is not there; remove the link, or name another folder", dir, end)
	}
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	clearTemporary(dir)
	// The files are made in a folder of their own, which then takes the name.
	temporary, err := os.MkdirTemp(filepath.Dir(dir), temporaryPrefix(dir)+"*.tmp")
	if err != nil {
		return fmt.Errorf("write %s: %w", dir, errors.Unwrap(err))
	}
	if lock, err := files.Take(filepath.Join(temporary, lockFile)); err == nil { // not every file system has locks
		defer lock.Close()
	}
	fresh, old := filepath.Join(temporary, "new"), filepath.Join(temporary, "old")
	err = fill(fresh, dir, m, contents)
	if err == nil {
		err = swap(dir, fresh, old)
	}
	if errors.Is(err, errStranded) {
		return fmt.Errorf("%w (the old folder is %s)", err, old)
	}
	return errors.Join(err, os.RemoveAll(temporary))
}

// temporaryPrefix begins the names of the temporary folders of a folder, which end
// in .tmp. They lie next to it, with a file that their writer locks.
func temporaryPrefix(dir string) string { return "." + filepath.Base(dir) + "." }

const lockFile = "lock"

// clearTemporary removes the temporary folders that killed writers of the same
// folder left, except one with the folder that was to be replaced.
func clearTemporary(dir string) {
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || !files.Works {
		return
	}
	for _, e := range entries {
		number, ours := strings.CutPrefix(e.Name(), temporaryPrefix(dir))
		number, ends := strings.CutSuffix(number, ".tmp")
		if !ours || !ends || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		temp := filepath.Join(filepath.Dir(dir), e.Name())
		if _, err := os.Lstat(filepath.Join(temp, "old")); err == nil {
			continue
		}
		if _, err := os.Lstat(filepath.Join(temp, lockFile)); err != nil { // its writer is about to make it
			continue
		}
		if lock, err := files.Take(filepath.Join(temp, lockFile)); err == nil {
			os.RemoveAll(temp)
			lock.Close()
		}
	}
}

// fill makes a folder and writes the files into it; errors call the folder by the
// name that it will have.
func fill(dir, name string, m modelfile.Model, contents map[string][]byte) error {
	failed := func(file string, err error) error {
		return fmt.Errorf("write %s: %w", filepath.Join(name, file), errors.Unwrap(err))
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return failed("", err)
	}
	for _, file := range slices.Sorted(maps.Keys(contents)) {
		if err := files.WriteBytesAtomic(filepath.Join(dir, file), contents[file]); err != nil {
			return failed(file, err)
		}
	}
	// Hugging Face's tools refuse weights that do not say for which library they are.
	about := map[string]string{"format": "pt"}
	err := files.WriteAtomic(filepath.Join(dir, weightsFile), func(w io.Writer) error {
		return tensor.WriteSafetensors(w, m.Weights, about)
	})
	if err != nil {
		return failed(weightsFile, err)
	}
	return nil
}

// errStranded means that the folder which was there is under another name.
var errStranded = errors.New("the folder that was to be replaced lost its name")

// swap gives fresh the name dir; what had it before moves to old.
func swap(dir, fresh, old string) error {
	if err := os.Rename(dir, old); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(fresh, dir)
	} else if err != nil {
		return err
	}
	err := os.Rename(fresh, dir)
	if err == nil {
		return nil
	}
	if back := os.Rename(old, dir); back != nil {
		return fmt.Errorf("%w: %w", errStranded, errors.Join(err, back))
	}
	return err
}

// replaceable reports what would be lost if a folder were replaced.
func replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ours := []string{configFile, weightsFile, tokenizer.File, tokenizerConfigFile}
	for _, e := range entries {
		if !IsFolder(dir) || !slices.Contains(ours, e.Name()) {
			return fmt.Errorf("%s is there and holds %s, which would be lost; name another folder", dir, e.Name())
		}
	}
	return nil
}

// documents are the JSON files of a model. It fails where Read would.
func documents(m modelfile.Model) (map[string][]byte, error) {
	made, err := models.New(m.Config)
	if err != nil {
		return nil, err
	}
	for _, p := range made.Params() {
		t := m.Weights[p.Name]
		if t == nil || t.DType() != tensor.Float32 && !t.DType().Halves() {
			return nil, fmt.Errorf("hf: weight %s is %v, the model wants float32%v", p.Name, t, p.Shape)
		}
		if err := checkWeight(t, p.Shape); err != nil {
			return nil, fmt.Errorf("hf: weight %s: %w", p.Name, err)
		}
	}
	if n := len(made.Params()); len(m.Weights) != n {
		return nil, fmt.Errorf("hf: %d weights for the model's %d", len(m.Weights), n)
	}
	p := provenanceOf(m.Card)
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("hf: %w", err)
	}
	d := document{}
	err = errors.Join(d.putConfig(made.Config()), d.putDerived(made, m.Card.Tokenizer), d.set(provenanceKey, p))
	if err != nil {
		return nil, fmt.Errorf("hf: %w", err)
	}
	out := map[string][]byte{}
	if out[configFile], err = indented(d); err != nil {
		return nil, err
	}
	if len(m.TokenizerFile) > 0 {
		out[tokenizer.File] = m.TokenizerFile
		return out, nil
	}
	return out, putTokenizer(out, m.Card)
}

// indented is a value as a JSON file, in which "<pad>" stays readable.
func indented(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(value)
	return b.Bytes(), err
}
