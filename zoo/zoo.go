// Package zoo opens models by name: a model of the catalogue, a run, a folder of weights, or
// an ONNX file, in the engine that the program links.
//
//	s, err := zoo.Open("runs/copy-rope-tiny-s1", zoo.Options{})
//
// Find and the methods of Model do the same in steps: they choose a checkpoint, change a
// finished model, or build its file.
package zoo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/train/runfile"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// Options say where models are looked for and how they are opened.
type Options struct {
	Catalogue   catalogue.Catalogue // of names such as copy-rope: catalogue.Embedded(), or none
	Runs        string              // folder whose runs have names; paths of runs need none
	ToolVersion string              // in the cards of models that come from runs
	Runtime     runtime.Options     // LinksWithin also holds where files are read
	// Warn is told of damaged runs and checkpoints that are passed over. Without it they are errors.
	Warn func(error)
}

// Open opens the model that a name means, as Find does, in the portable profile.
func Open(name string, o Options) (*runtime.Session, error) {
	m, err := Find(name, o)
	if err != nil {
		return nil, err
	}
	return m.Open(card.Portable, o.Runtime)
}

// Find returns the model that a name means: an ONNX or GGUF file, a folder of weights (modelfile/hf: zoo's or a pretrained
// decoder's), a model of the catalogue, a folder with the ONNX file of another program (foreign.File), a run's folder, or a
// run in Options.Runs. The error for an unknown name says which known
// one is near.
func Find(name string, o Options) (Model, error) {
	info, err := os.Stat(name)
	if err == nil && !info.IsDir() {
		if hf.IsGGUF(name) {
			return o.folder(name)
		}
		return o.file(name), nil
	}
	if hf.IsFolder(name) {
		return o.folder(name)
	}
	if o.Catalogue.FS != nil {
		switch m, err := o.Catalogue.Manifest(name); {
		case err == nil:
			return o.catalogued(m), nil
		case !errors.Is(err, catalogue.ErrUnknown):
			return Model{}, err
		}
	}
	if path, ok := foreign.File(name); ok {
		m := o.file(path)
		m.Label = filepath.Base(filepath.Clean(name))
		return m, nil
	}
	for _, dir := range []string{name, filepath.Join(o.Runs, name)} {
		if isRun(dir) {
			return o.folder(dir)
		}
	}
	if strings.ContainsAny(name, `/\.`) || err == nil {
		hint := ""
		if run := runIn(name); run != "" {
			hint = "; it holds runs, of which one is named such as " + run
		}
		if stem, ok := strings.CutSuffix(name, ".onnx"); ok && o.Catalogue.FS != nil {
			if _, err := o.Catalogue.Manifest(stem); err == nil {
				hint = "; make it: zoo export " + stem
			}
		}
		return Model{}, fmt.Errorf("%s is neither a file nor a run directory, nor a folder with a model.onnx%s", name, hint)
	}
	return Model{}, o.unknown(name)
}

// isRun reports whether a directory holds a run, or weights that stand among runs.
func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, runfile.ConfigFile))
	return err == nil
}

// runIn is a run in a folder, "" where it has none.
func runIn(folder string) string {
	entries, _ := os.ReadDir(folder) // for a hint
	for _, e := range entries {
		if run := filepath.Join(folder, e.Name()); isRun(run) {
			return run
		}
	}
	return ""
}

// unknown is the error for a name that no model has.
func (o Options) unknown(name string) error {
	var known []string
	if o.Catalogue.FS != nil {
		list, err := o.Catalogue.List()
		if err != nil {
			return err
		}
		known = lists.Map(list, func(m catalogue.Manifest) string { return m.Name })
	}
	entries, _ := os.ReadDir(o.Runs) // for a hint
	for _, e := range entries {
		if isRun(filepath.Join(o.Runs, e.Name())) {
			known = append(known, e.Name())
		}
	}
	return suggest.Unknown("model", name, known)
}

func (o Options) file(path string) Model {
	return Model{Label: strings.TrimSuffix(filepath.Base(path), ".onnx"), From: "file " + path, File: path, options: o}
}

func (o Options) catalogued(m catalogue.Manifest) Model {
	return Model{
		Label: m.Name, From: "the catalogue's " + m.Name, Encoding: m.Card.Name(), options: o,
		load: func() (modelfile.Model, error) { return o.Catalogue.Model(m.Name) },
	}
}

// folder is the model of a run, or of a folder of weights, which has no checkpoints.
func (o Options) folder(dir string) (Model, error) {
	m := Model{Label: filepath.Base(dir), Folder: dir, options: o}
	if hf.IsFolder(dir) || hf.IsGGUF(dir) {
		described, err := hf.Describe(dir)
		kind, what := "imported", "folder"
		if p := described.Card.Pretrained; p != nil {
			kind = p.Family
		}
		if hf.IsGGUF(dir) {
			what = "file"
		}
		m.From, m.Encoding = fmt.Sprintf("%s %s (%s)", what, dir, kind), described.Config.Name()
		if path, ok := foreign.File(dir); ok {
			m.From = fmt.Sprintf("the safetensors of %s, and not its %s", m.From, filepath.Base(path))
		}
		m.load = func() (modelfile.Model, error) { return hf.Read(dir) }
		return m, err
	}
	r, err := runfile.Describe(dir)
	m.From, m.Encoding, m.Run = fmt.Sprintf("run %s (%s)", dir, r.State), r.Encoding, dir
	m.read = latest
	return m, err
}
