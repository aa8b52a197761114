package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/cmd/zoo/internal/find"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/zoo"
)

// allTasks is the value of --task that measures every model on its own tasks.
const allTasks = "all"

// allEncodings stands for every encoding among those given with --pe.
const allEncodings = "all"

// modelFlags say which models are measured, and in which forms.
type modelFlags struct {
	runs          string
	catalogue     bool // and no runs
	encodings     []string
	checkpoints   []string
	profiles      []string // "" is the default, of a file its own
	dtypes        []string
	interventions interventionFlags
	shard         string // I/N: the I-th of N shares; "" for all
}

// check refuses words that name no form of a model, or one that a provider does not compute in.
func (o modelFlags) check(providers []string) error {
	if len(o.checkpoints) == 0 {
		return errors.New("--checkpoint is empty; give it a value, or leave it out for the default")
	}
	for _, profile := range o.profiles {
		if err := checkProfile(profile); err != nil {
			return fmt.Errorf("--profile: %w", err)
		}
	}
	if len(o.dtypes) == 0 {
		return errors.New("--dtype is empty; give it a value, or leave it out for the default")
	}
	for _, dtype := range o.dtypes {
		if err := checkDType(dtype, providers...); err != nil {
			return err
		}
	}
	return nil
}

// benchModels lists the models to measure, in each of the forms asked for: the models named,
// or else runs and the catalogue's, which are measured on what they were trained on alone.
func (a *app) benchModels(o modelFlags, task string, args []string) ([]bench.Model, error) {
	if len(args) > 0 && len(o.encodings) > 0 {
		return nil, fmt.Errorf("--pe chooses among runs and catalogue, but %s is named; drop one of the two", args[0])
	}
	folder := o.runs
	if o.catalogue {
		if folder = ""; len(args) > 0 {
			return nil, fmt.Errorf("--catalogue chooses the models that zoo carries, but %s is named; drop one of the two", args[0])
		}
	}
	f, err := find.New(a.lookIn(folder))
	if err != nil {
		return nil, err
	}
	var found []zoo.Model
	kind := ""
	if len(args) > 0 {
		found, err = f.These(args)
	} else {
		found, kind, err = a.trainedOn(f, o.encodings, task)
	}
	if err != nil {
		return nil, err
	}
	if len(args) == 0 && slices.ContainsFunc(found, func(m zoo.Model) bool { return !strings.HasPrefix(m.From, "the catalogue's") }) {
		a.Note("measuring the runs in the folder %s; other runs: --runs FOLDER; the models that zoo carries: --catalogue", o.runs)
	}
	if found, err = o.forms(found); err != nil {
		return nil, err
	}
	profiles := o.profiles
	if len(profiles) == 0 {
		profiles = []string{""}
	}
	if found, err = o.share(found); err != nil {
		return nil, fmt.Errorf("--shard %s: %w", o.shard, err)
	}
	var out []bench.Model
	for _, m := range found {
		for _, profile := range profiles {
			from := m.From
			if len(profiles) > 1 {
				from += ", profile " + profile
			}
			out = append(out, bench.Model{Label: m.Label, From: from, Profile: profile,
				Trained: len(args) == 0, Kind: kind,
				ONNX: func() ([]byte, fs.FS, error) { return m.ONNX(cmp.Or(profile, card.Portable)) }})
		}
	}
	return out, nil
}

// forms has each model at each checkpoint, changed as the flags say, and in each precision.
func (o modelFlags) forms(found []zoo.Model) (out []zoo.Model, err error) {
	if found, err = atCheckpoints(found, o.checkpoints); err != nil {
		return nil, err
	}
	if found, err = o.interventions.apply(found); err != nil {
		return nil, err
	}
	for _, m := range found {
		for _, dtype := range o.dtypes {
			as, err := m.As(dtype)
			if err != nil {
				return nil, fmt.Errorf("--dtype %w", err)
			}
			out = append(out, as)
		}
	}
	return out, nil
}

// share leaves the models of one task of an array, which are dealt out one by one.
func (o modelFlags) share(all []zoo.Model) (out []zoo.Model, err error) {
	if o.shard == "" {
		return all, nil
	}
	text, number, _ := strings.Cut(o.shard, "/")
	shares, err := strconv.Atoi(number)
	if err != nil || shares < 1 {
		return nil, errors.New("want I/N, such as 1/16, or /16 in a scheduler's array")
	}
	index, from := 0, text
	if text == "" {
		index, from, err = scheduledTask()
	} else if index, err = strconv.Atoi(text); err != nil {
		err = fmt.Errorf("%q is no number", text)
	}
	if err != nil {
		return nil, err
	}
	if index < 1 || index > shares {
		return nil, fmt.Errorf("%s: there are shares 1 to %d", from, shares)
	}
	if index > len(all) {
		return nil, fmt.Errorf("no model is left for share %d of %s; use at most as many shares", index, human.Plural(len(all), "model", "models"))
	}
	for i := index - 1; i < len(all); i += shares {
		out = append(out, all[i])
	}
	return out, nil
}

// atCheckpoints has each run at each of some checkpoints.
func atCheckpoints(found []zoo.Model, checkpoints []string) (out []zoo.Model, err error) {
	for _, m := range found {
		each, err := m.At(checkpoints...)
		if err != nil {
			return nil, err
		}
		out = append(out, each...)
	}
	return out, nil
}

// trainedOn lists runs and the catalogue's models of encodings that were trained on a task,
// and the one task to measure where none is named; "" for all of a model's own.
func (a *app) trainedOn(f find.Finder, encodings []string, trained string) (found []zoo.Model, kind string, err error) {
	if slices.Contains(encodings, allEncodings) {
		encodings = nil
	}
	if encodings, err = models.EncodingNames(encodings); err != nil {
		return nil, "", err
	}
	switch trained {
	case allTasks:
		trained = ""
	case "":
		kind = a.chooseTask(f, encodings)
		trained = kind
	}
	if f, err = f.On(trained); err != nil {
		return nil, "", err
	}
	found, err = f.Of(encodings...)
	return found, kind, err
}

// chooseTask returns the one task to measure where the command line names none, and
// says how to get the others; "" where the models have no more than one.
func (a *app) chooseTask(f find.Finder, encodings []string) string {
	chosen, others := f.ChooseTask(encodings)
	if len(others) == 0 {
		return ""
	}
	a.Note("measuring the task %s alone; --task %s measures every model on its own, and --task NAME another one: %s",
		chosen, allTasks, strings.Join(others, ", "))
	return chosen
}
