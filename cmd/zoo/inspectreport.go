package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/train"
)

// inspectFile describes an ONNX file. A damaged one is described before it is an error.
func (a *app) inspectFile(name string, data []byte, asJSON bool) error {
	r, err := export.Inspect(data)
	if err != nil && !errors.Is(err, safety.ErrDamaged) {
		return err
	}
	if asJSON {
		return cmp.Or(a.json(struct {
			Name string `json:"name"`
			export.Report
		}{name, r}), err)
	}
	lines := [][]string{
		{"file", fmt.Sprintf("%s (%s)", name, bytesText(int64(r.Bytes)))},
		{"format", fmt.Sprintf("ONNX, IR version %d, opset %d, written by %s",
			r.IRVersion, r.Opset, cmp.Or(r.Producer, "an unnamed program"))},
	}
	add := func(name, text string) { lines = append(lines, []string{name, text}) }
	for _, domain := range slices.Sorted(maps.Keys(r.Domains)) {
		add("domain", fmt.Sprintf("%s, opset %d", domain, r.Domains[domain]))
	}
	add("weights", fmt.Sprintf("%d tensors, %s", r.Initializers, bytesText(r.InitializerBytes)))
	add("operators", fmt.Sprintf("%d: %s", r.Nodes, histogram(r.Ops)))
	for _, v := range r.Inputs {
		add("input", v.String())
	}
	for _, v := range r.Outputs {
		add("output", v.String())
	}
	for _, key := range slices.Sorted(maps.Keys(r.Metadata)) {
		add(key, clip(r.Metadata[key], 100))
	}
	if r.CardProblem != "" {
		add("no card", r.CardProblem)
	}
	if r.SafetyProblem != "" {
		add("not safe", r.SafetyProblem)
	}
	pureGo := "yes"
	if r.ReadProblem != "" {
		pureGo = "no: " + r.ReadProblem
	}
	add("pure Go", pureGo)
	return cmp.Or(a.table(lines), err)
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

// inspectCheckpoint describes a checkpoint, or a run by its newest one.
func (a *app) inspectCheckpoint(name string, c *train.Checkpoint, asJSON bool) error {
	info := c.Info()
	if asJSON {
		return a.json(struct {
			Name string `json:"name"`
			train.CheckpointInfo
		}{name, info})
	}
	lines := [][]string{
		{"checkpoint", name},
		{"trained", fmt.Sprintf("%d of %d steps, loss %.4g", info.Step, info.Config.Train.Steps, info.Loss)},
		{"parameters", short(float64(info.Parameters))},
	}
	for _, s := range configs.Settings() {
		lines = append(lines, []string{s.Key, s.Of(info.Config)})
	}
	for _, key := range slices.Sorted(maps.Keys(c.Weights)) {
		lines = append(lines, []string{"weight", fmt.Sprintf("%s %v", key, c.Weights[key].Shape())})
	}
	return a.table(lines)
}
