package main

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// defaultModels are small ones that differ in what they can do beyond their trained lengths.
var defaultModels = []string{"copy-rope", "copy-alibi", "unique-copy-hard-alibi", "copy-rsc-nope"}

// model is one in the page's menu.
type model struct {
	file
	Name        string    `json:"name"`
	Encoding    string    `json:"encoding"`
	Description string    `json:"description"` // of its task
	Trained     [2]int    `json:"trained"`     // lengths of the task, from and to
	Examples    []example `json:"examples"`
}

// example is a prompt that the model was not trained on.
type example struct {
	Length int    `json:"length"`
	Prompt string `json:"prompt"`
}

// writeModels writes the files of the models, with their attention weights.
func (s site) writeModels() ([]model, error) {
	var list []model
	for _, name := range s.models {
		m, data, err := describe(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if err := s.write(m.Path, data); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// describe builds a model's file and says what the page has to know of it.
func describe(name string) (model, []byte, error) {
	manifest, err := catalogue.Embedded().Manifest(name)
	if err != nil {
		return model{}, nil, err
	}
	made, err := catalogue.Embedded().Model(manifest.Name)
	if err != nil {
		return model{}, nil, err
	}
	made.Attentions = true
	data, err := made.ONNX(card.Portable)
	if err != nil {
		return model{}, nil, err
	}
	m := model{Name: name, Encoding: made.Config.Encoding,
		Trained: [2]int{manifest.Card.Trained.Min, manifest.Card.Trained.Max},
		file:    file{Path: "models/" + made.FileName(card.Portable), Bytes: int64(len(data))}}
	t, err := task.Lookup(manifest.Card.Task)
	if err != nil {
		return model{}, nil, fmt.Errorf("%s: %w", name, err)
	}
	m.Description = t.Description
	longest := m.Trained[1]
	for _, length := range []int{min(8, longest), longest, 2 * longest} {
		if t.CheckLength(task.At(length)) != nil {
			continue // the task ends before
		}
		for sample, err := range t.Draw([]int{length}, 1, 1, task.Test) {
			if err != nil {
				return model{}, nil, fmt.Errorf("%s: %w", name, err)
			}
			m.Examples = append(m.Examples, example{length, sample.Prompt})
		}
	}
	return m, data, nil
}
