// Package tables lays out results of other packages: lines of cells for people, and the same values for programs.
package tables

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/cmd/zoo/internal/find"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// encoding describes an encoding, or an architecture that stands in its place.
type encoding struct {
	Name    string `json:"name"`
	Formula string `json:"formula"`
	Source  string `json:"source"`
	State   string `json:"state"`          // in floats for each token, as state returns it
	Cost    string `json:"cost,omitempty"` // which a registered row may lack
	// Settings are a pe.Row's Make.Settings; nil for none.
	Settings any `json:"settings,omitempty"`
}

// lines has several: one would be too wide for a terminal.
func (e encoding) lines() [][]string {
	lines := [][]string{{e.Name, e.Formula}, {"", e.Source}, {"", "state: " + e.State}}
	if e.Cost != "" {
		lines = append(lines, []string{"", "cost: " + e.Cost})
	}
	return lines
}

// Encodings lists the encodings, and the architectures that stand in an encoding's place.
func Encodings() (values any, lines [][]string) {
	list := []encoding{}
	for _, r := range pe.Table() {
		list = append(list, encoding{r.Name, r.Formula, r.Source, state(r.Name), r.Cost, nil})
	}
	for _, a := range models.Architectures() {
		if !slices.Contains(a.Settings, "encoding") { // it stands in an encoding's place
			list = append(list, encoding{a.Name, a.Formula, a.Source, state(a.Name), a.Cost, nil})
		}
	}
	for _, e := range list {
		lines = append(lines, e.lines()...)
	}
	return list, lines
}

// Encoding describes an encoding with its settings, which for people are a table of their own, without an architecture's.
func Encoding(name string) (value any, lines, settings [][]string, err error) {
	if _, err := models.EncodingNames([]string{name}); err != nil {
		return nil, nil, nil, err
	}
	row, err := pe.Find(name)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s is an architecture, which stands in an encoding's place and has none's settings; see: zoo list encodings", name)
	}
	e := encoding{row.Name, row.Formula, row.Source, state(row.Name), row.Cost, row.Make.Settings}
	for _, s := range row.Make.Settings {
		settings = append(settings, []string{s.Name, s.About})
	}
	return e, e.lines(), settings, nil
}

// about describes a task.
type about struct {
	Name        string   `json:"name"`
	Aliases     []string `json:"aliases"`
	Version     int      `json:"version"`
	Description string   `json:"description"`
	Train       string   `json:"train"`
	Beyond      string   `json:"beyond"`
	Lengths     string   `json:"lengths"`
	Chance      float64  `json:"chance"`     // at the longest trained length
	Scratchpad  bool     `json:"scratchpad"` // whether it can have one
	Prompt      string   `json:"prompt"`     // of a short sample
	Target      string   `json:"target"`
}

func aboutTask(t task.Task) (about, error) {
	s, err := t.Sample(rand.New(rand.NewPCG(1, 0)), max(2, t.Train.Min), task.Whole)
	_, scratchpad := task.Lookup(t.Name + "+full")
	return about{
		Name: t.Name, Aliases: append([]string{}, t.Aliases...), Version: t.Version, Description: t.Description,
		Train: t.Train.String(), Beyond: t.Beyond.String(), Lengths: t.Lengths.String(),
		Chance: t.Chance(t.Train.Max), Scratchpad: scratchpad == nil, Prompt: s.Prompt, Target: s.Target,
	}, err
}

// Tasks lists every task without options.
func Tasks() (values any, lines [][]string, err error) {
	list := []about{}
	lines = [][]string{{"task", "trained", "tested", "possible", "chance", "example"}}
	for _, t := range task.All() {
		a, err := aboutTask(t)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, a)
		possible := a.Lengths
		if t.Lengths.Max >= task.MaxLength-1 { // odd lengths end before it
			possible = fmt.Sprintf("from %d", t.Lengths.Min)
		}
		lines = append(lines, []string{a.Name, a.Train, a.Beyond, possible,
			fmt.Sprintf("%.2g", a.Chance), strings.TrimSpace(a.Prompt) + " ⏵ " + a.Target})
	}
	lines = append(lines, []string{"file:PATH", "", "", "", "", "your own samples; see: zoo data --help"})
	return list, lines, nil
}

// Presets lists the embedded presets, without their texts.
func Presets() (values any, lines [][]string, err error) {
	list := []configs.About{}
	for _, name := range configs.Names(configs.Presets) {
		about, err := configs.Describe(configs.Presets, name)
		if err != nil {
			return nil, nil, err
		}
		about.Text = "" // shown for one preset
		list, lines = append(list, about), append(lines, []string{about.Name, about.Description})
	}
	return list, lines, nil
}

// Models lists the wanted models of a catalogue.
func Models(catalogue []catalogue.Manifest, wanted func(encoding, tasks string) bool) (values any, lines [][]string) {
	list := []entry{}
	lines = [][]string{{"model", "trained", "inside", "reach", "params"}} // the name has task and encoding: 60 columns
	for _, manifest := range catalogue {
		m := describe(manifest)
		if !wanted(m.Encoding, m.Task) {
			continue
		}
		mean, reach := "unknown", fmt.Sprint(m.EffectiveLength)
		if m.TrainedAccuracy != nil {
			mean = fmt.Sprintf("%.3g %%", 100**m.TrainedAccuracy)
		}
		if m.EffectiveLength == 0 {
			reach = "none"
		} else if m.EffectiveLength == m.MeasuredMax {
			reach = "≥ " + reach
		}
		list = append(list, m)
		lines = append(lines, []string{m.Name, fmt.Sprintf("%d..%d", m.TrainedMin, m.TrainedMax),
			mean, reach, human.Count(float64(m.Parameters))})
	}
	if len(list) == 0 {
		return list, nil
	}
	return list, lines
}

// Runs lists runs.
func Runs(runs []find.Run) (values any, lines [][]string) {
	list := append([]find.Run{}, runs...) // an empty list for programs, too
	for _, r := range runs {
		state := r.State
		if r.Loss != nil {
			state += fmt.Sprintf(", loss %.4g", *r.Loss)
		}
		lines = append(lines, []string{r.Dir, r.Encoding, r.Task, r.Lengths, state})
	}
	return list, lines
}
