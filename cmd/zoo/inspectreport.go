package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/train"
)

// fileReport is what inspect says of an ONNX file.
type fileReport struct {
	Name         string            `json:"name"`
	Bytes        int               `json:"bytes"`
	Producer     string            `json:"producer"`
	IRVersion    int               `json:"ir_version"`
	Opset        int               `json:"opset"`
	Domains      map[string]int    `json:"domains,omitempty"`
	Inputs       []string          `json:"inputs"`
	Outputs      []string          `json:"outputs"`
	Nodes        int               `json:"nodes"`
	Ops          map[string]int    `json:"ops"`
	Initializers int               `json:"initializers"`
	WeightBytes  int64             `json:"weight_bytes"`
	Metadata     map[string]string `json:"metadata"`
	CardProblem  string            `json:"card_problem,omitempty"`   // why there is no usable card
	ReadProblem  string            `json:"read_problem,omitempty"`   // why the pure-Go engine refuses the file
	Danger       string            `json:"safety_problem,omitempty"` // why no engine is handed the file
}

func (a *app) inspectFile(name string, data []byte, asJSON bool) error {
	info, err := export.ReadInfo(data)
	if err != nil {
		return err
	}
	r := fileReport{
		Name: name, Bytes: len(data), Producer: strings.TrimSpace(info.Producer + " " + info.ProducerVersion),
		IRVersion: info.IRVersion, Opset: info.Opset, Domains: info.Domains, Inputs: each(info.Inputs, card.Port.String), Outputs: each(info.Outputs, card.Port.String),
		Nodes: info.Nodes, Ops: info.Ops, Initializers: info.Initializers, WeightBytes: info.InitializerBytes, Metadata: info.Metadata,
	}
	if _, err := card.Parse(info.Metadata); err != nil {
		r.CardProblem = err.Error()
	}
	if _, err := export.Read(data); err != nil {
		r.ReadProblem = err.Error()
	}
	_, refused := safety.Check(data, safety.Options{})
	if refused != nil {
		r.Danger = refused.Error()
	}
	if asJSON {
		err = a.json(r)
	} else {
		err = a.printFile(r)
	}
	if errors.Is(refused, safety.ErrDamaged) {
		return cmp.Or(err, refused)
	}
	return err
}

func (a *app) printFile(r fileReport) error {
	lines := [][]string{
		{"file", fmt.Sprintf("%s (%s)", r.Name, bytesText(int64(r.Bytes)))},
		{"format", fmt.Sprintf("ONNX, IR version %d, opset %d, written by %s", r.IRVersion, r.Opset, cmp.Or(r.Producer, "an unnamed program"))},
	}
	for _, domain := range slices.Sorted(maps.Keys(r.Domains)) {
		lines = append(lines, []string{"domain", fmt.Sprintf("%s, opset %d", domain, r.Domains[domain])})
	}
	lines = append(lines, []string{"weights", fmt.Sprintf("%d tensors, %s", r.Initializers, bytesText(r.WeightBytes))},
		[]string{"operators", fmt.Sprintf("%d: %s", r.Nodes, histogram(r.Ops))})
	for _, v := range r.Inputs {
		lines = append(lines, []string{"input", v})
	}
	for _, v := range r.Outputs {
		lines = append(lines, []string{"output", v})
	}
	for _, key := range slices.Sorted(maps.Keys(r.Metadata)) {
		lines = append(lines, []string{key, clip(r.Metadata[key], 100)})
	}
	if r.CardProblem != "" {
		lines = append(lines, []string{"no card", r.CardProblem})
	}
	if r.Danger != "" {
		lines = append(lines, []string{"not safe", r.Danger})
	}
	pureGo := "yes"
	if r.ReadProblem != "" {
		pureGo = "no: " + r.ReadProblem
	}
	return a.table(append(lines, []string{"pure Go", pureGo}))
}

// histogram lists operators with their counts, the most frequent first.
func histogram(ops map[string]int) string {
	list := slices.Sorted(maps.Keys(ops))
	slices.SortStableFunc(list, func(x, y string) int { return ops[y] - ops[x] })
	return strings.Join(each(list, func(op string) string { return fmt.Sprintf("%s %d", op, ops[op]) }), ", ")
}

// clip cuts a long line, between two characters.
func clip(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most]) + fmt.Sprintf("… (%d more)", len(r)-most)
}

// checkpointReport is what inspect says of a checkpoint, or of a run by its
// newest one.
type checkpointReport struct {
	Name       string       `json:"name"`
	Step       int          `json:"step"`
	Loss       float64      `json:"loss"`
	Parameters int          `json:"parameters"`
	ConfigHash string       `json:"config_hash"`
	Config     train.Config `json:"config"`
}

func (a *app) inspectCheckpoint(name string, c *train.Checkpoint, asJSON bool) error {
	r := checkpointReport{Name: name, Step: c.Step, Loss: c.Loss, ConfigHash: c.Config.Hash(), Config: c.Config}
	for _, w := range c.Weights {
		r.Parameters += tensor.Numel(w.Shape())
	}
	if asJSON {
		return a.json(r)
	}
	lines := [][]string{
		{"checkpoint", name},
		{"trained", fmt.Sprintf("%d of %d steps, loss %.4g", r.Step, c.Config.Train.Steps, r.Loss)},
		{"parameters", short(float64(r.Parameters))},
	}
	for _, s := range configs.Settings() {
		lines = append(lines, []string{s.Key, s.Of(c.Config)})
	}
	for _, key := range slices.Sorted(maps.Keys(c.Weights)) {
		lines = append(lines, []string{"weight", fmt.Sprintf("%s %v", key, c.Weights[key].Shape())})
	}
	return a.table(lines)
}
