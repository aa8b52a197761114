package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo"
)

// source is a place where a model is: a file, a run, or the catalogue.
type source struct {
	label    string // the model's name in tables
	from     string // for people
	encoding string // "" for a file, whose card says it
	file     string // path of an ONNX file, "" for the others
	run      string // run directory, "" for the others
	folder   string // that the model is read from, a run or one of weights; "" for the others
	load     func() (model, error)
}

// inputs lists the files that the model is, or is among.
func (s source) inputs() []string {
	if s.file != "" {
		return []string{s.file}
	}
	entries, _ := os.ReadDir(s.folder) // loading it says what is wrong with it
	return each(entries, func(e os.DirEntry) string { return filepath.Join(s.folder, e.Name()) })
}

// model is what an ONNX file is built from.
type model struct {
	cfg     models.Config
	weights map[string]*tensor.Tensor
	card    card.Card
}

// onnx returns the model's file; one that is a file already is what it is,
// whatever the profile.
func (s source) onnx(profile string) ([]byte, error) {
	if s.file != "" {
		return safety.ReadFile(s.file)
	}
	m, err := s.load()
	if err != nil {
		return nil, err
	}
	return m.build(profile)
}

func (m model) build(profile string) ([]byte, error) {
	return zoo.Build(m.cfg, m.weights, m.card, profile)
}

// name is what files of the model are called by default.
func (m model) name() string {
	if m.card.Task == "" {
		return m.cfg.Encoding
	}
	return m.card.Task + "-" + m.cfg.Encoding
}

func fileSource(path string) source {
	return source{label: strings.TrimSuffix(filepath.Base(path), ".onnx"), from: "file " + path, file: path}
}

func runSource(a *app, r runInfo) source {
	if r.Imported {
		return folderSource(r)
	}
	return source{
		label: filepath.Base(r.Dir), from: fmt.Sprintf("run %s (%s)", r.Dir, r.state()), encoding: r.Encoding, run: r.Dir, folder: r.Dir,
		load: loadCheckpoint(func() (*train.Checkpoint, error) { return a.newest(r.Dir) }),
	}
}

// best is the same run at its best evaluation.
func (s source) best(a *app) (source, error) {
	if s.run == "" {
		return s, fmt.Errorf("--checkpoint best: %s is no run, and has no checkpoints", s.from)
	}
	s.from = "the best of " + s.from
	s.load = loadCheckpoint(func() (*train.Checkpoint, error) {
		c, skipped, err := train.Best(s.run)
		a.noteDamaged(skipped)
		return c, err
	})
	return s, nil
}

func loadCheckpoint(read func() (*train.Checkpoint, error)) func() (model, error) {
	return func() (model, error) {
		c, err := read()
		if err != nil {
			return model{}, err
		}
		described, err := c.Card(version())
		return model{c.Config.Model, c.Weights, described}, err
	}
}

func (a *app) noteDamaged(skipped []error) {
	for _, damaged := range skipped {
		a.note("passed over a damaged checkpoint: %v", damaged)
	}
}

// newest reads a run's newest usable checkpoint.
func (a *app) newest(dir string) (*train.Checkpoint, error) {
	c, skipped, err := train.Latest(dir)
	if errors.Is(err, train.ErrNoCheckpoint) {
		return nil, fmt.Errorf("%w; make one: %s", err, resumeCommand(dir))
	}
	a.noteDamaged(skipped)
	return c, err
}

func catalogueSource(m zoo.Manifest) source {
	return source{
		label: m.Name, from: "the catalogue's " + m.Name, encoding: m.Card.Encoding,
		load: func() (model, error) {
			var cfg models.Config
			if err := json.Unmarshal(m.Card.Config, &cfg); err != nil {
				return model{}, fmt.Errorf("manifest of %s: %w", m.Name, err)
			}
			weights, err := zoo.Embedded().Weights(m)
			return model{cfg, weights, m.Card}, err
		},
	}
}
