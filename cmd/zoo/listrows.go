package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/find"
)

func listEncodings(*app, listOptions) (any, [][]string, error) {
	type entry struct {
		Name    string `json:"name"`
		Formula string `json:"formula"`
		Source  string `json:"source"`
	}
	list, lines := []entry{}, [][]string{}
	add := func(e entry) {
		list, lines = append(list, e), append(lines, []string{e.Name, e.Formula, e.Source})
	}
	for _, r := range pe.Table() {
		add(entry{r.Name, r.Formula, r.Source})
	}
	for _, a := range models.Architectures() {
		if !a.Has("encoding") { // it stands in an encoding's place
			add(entry{a.Name, a.Formula, a.Source})
		}
	}
	return list, lines, nil
}

func listTasks(*app, listOptions) (any, [][]string, error) {
	list, lines := []task.About{}, [][]string{{"task", "trained", "tested", "possible", "chance", "example"}}
	for _, t := range task.All() {
		about, err := t.About()
		if err != nil {
			return nil, nil, err
		}
		list = append(list, about)
		lines = append(lines, []string{about.Name, about.Train, about.Beyond, about.Lengths,
			fmt.Sprintf("%.2g", about.Chance), strings.TrimSpace(about.Prompt) + " ⏵ " + about.Target})
	}
	return list, lines, nil
}

func listPresets(*app, listOptions) (any, [][]string, error) {
	list, lines := []configs.About{}, [][]string{}
	for _, name := range configs.Names() {
		about, err := configs.Describe(name)
		if err != nil {
			return nil, nil, err
		}
		about.Text = "" // for who asks for one
		list, lines = append(list, about), append(lines, []string{about.Name, about.Description})
	}
	return list, lines, nil
}

func listModels(_ *app, o listOptions) (any, [][]string, error) {
	catalogue, err := zoo.List()
	if err != nil {
		return nil, nil, err
	}
	list := []find.Entry{}
	lines := [][]string{{"model", "encoding", "task", "trained", "inside", "effective", "parameters"}}
	for _, manifest := range catalogue {
		m := find.Describe(manifest)
		if !o.takes(m.Encoding, m.Task) {
			continue
		}
		mean, reach := "not measured", fmt.Sprint(m.EffectiveLength)
		if m.TrainedAccuracy != nil {
			mean = fmt.Sprintf("%.1f %%", 100**m.TrainedAccuracy)
		}
		if m.EffectiveLength == 0 {
			reach = "none"
		} else if m.EffectiveLength == m.MeasuredMax {
			reach += " or more"
		}
		list = append(list, m)
		lines = append(lines, []string{m.Name, m.Encoding, m.Task, fmt.Sprintf("%d..%d", m.TrainedMin, m.TrainedMax),
			mean, reach, short(float64(m.Parameters))})
	}
	if len(list) == 0 {
		lines = nil
	}
	return list, lines, nil
}

func listRuns(a *app, o listOptions) (any, [][]string, error) {
	runs, err := find.Runs(o.runs, a.warn)
	if err != nil {
		return nil, nil, err
	}
	runs = slices.DeleteFunc(runs, func(r find.Run) bool { return !o.takes(r.Encoding, r.Task) })
	lines := [][]string{}
	for _, r := range runs {
		loss := ""
		if r.Loss != nil {
			loss = fmt.Sprintf("loss %.4g", *r.Loss)
		}
		lines = append(lines, []string{r.Dir, r.Encoding, r.Task, r.Lengths, r.State(), loss})
	}
	if len(runs) == 0 {
		runs = []find.Run{}
	}
	return runs, lines, nil
}
