package main

import (
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train/launch"
)

type trainOptions struct {
	file      string
	set       []string
	encodings []string
	runs      string
	resume    bool
	dryRun    bool
}

// trainFlags are the flags that stand for keys of the configuration.
var trainFlags = map[string]string{
	"train.task": "task", "train.lengths": "lengths", "train.steps": "steps", "train.batch": "batch",
	"train.lr": "lr", "train.seed": "seed", "train.threads": "threads", "train.examples": "examples",
}

func trainVerb(a *app) *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use:   "train [RUN…]",
		Short: "train models, one for each encoding",
		Long: `train trains one model for each encoding of --pe, one after another, each into a
folder of its own: runs/<task>-<encoding>-<preset>-s<seed>. A run that is finished
there already is skipped. Ctrl-C, SIGTERM or a closed terminal (SIGHUP, unless nohup
keeps it away) ends training with a checkpoint; zoo says how to go on.

An architecture that has no encodings stands among them by its own name: --pe cwrnn
is short for --set model.architecture=cwrnn, and --pe rope,cwrnn trains one of each.

Settings come from, the first that says something: flags, environment variables
(ZOO_TRAIN_STEPS for train.steps), the file given by --config, the user's own file
(zoo doctor says where), the preset. The preset is named by --preset, ZOO_PRESET, or
"preset:" in one of the files, in this order.
Settings without a flag of their own are given by --set, as in
--set model.n_layers=4 or --set model.encoding_params.theta=500. A task other than
the preset's has lengths of its own unless some are given, and a preset may have
other settings on a task (on_task in the preset paper). What is set above the
preset must be a setting of one architecture of the models at least: cwrnn has no
model.n_layers, and decoder no model.n_units. The keys are:

` + columns(each(configs.Settings(), func(s configs.Setting) string { return s.Key }), 4) + `

With train.eval_every, the model is measured on validation prompts as it trains,
and its best checkpoint is kept (zoo export --checkpoint best). A run's folder has
its metrics as JSON lines and as TensorBoard event files.

With --resume, runs that were stopped go on where they were, and those not yet
begun begin. Named runs (--resume RUN) need no other settings. --resume alone goes
on with the run under --runs that was stopped; if there are several, it lists them.

--dry-run prints the settings of every run, the memory that it takes, and about how
long, from a few steps made here. Nothing is written.`,
		Example: example(
			"zoo train --pe rope",
			"zoo train --pe nope,rope,alibi --task copy --lengths 1..20",
			"zoo train --preset small --set train.micro_tokens=1024",
			"zoo train --preset small --dry-run",
			"zoo train --resume",
			"zoo train --resume runs/copy-rope-tiny-s1"),
		RunE: func(c *cobra.Command, args []string) error { return a.train(c, o, args) },
	}
	o.add(c)
	return c
}

func (o *trainOptions) add(c *cobra.Command) {
	f := c.Flags()
	f.String("preset", "", "settings to start from: "+strings.Join(configs.Names(), ", ")+
		" (default: that of a config file, or "+configs.DefaultPreset+")")
	f.StringVar(&o.file, "config", "", "a YAML `file` of settings, in the form of the presets")
	f.StringSliceVar(&o.encodings, "pe", nil, "encodings: "+strings.Join(models.Encodings(), ", ")+
		" (default: the configured one)")
	f.String("task", "", "task with its options, or several with commas: "+
		strings.Join(each(task.All(), func(t task.Task) string { return t.Name }), ", "))
	f.String("lengths", "", "trained lengths, such as 1..20")
	f.Int("examples", 0, "size of a fixed training set, the same for every seed; 0: every example is new")
	f.Int("steps", 0, "updates")
	f.Int("batch", 0, "sequences in an update")
	f.Float64("lr", 0, "peak learning rate")
	f.Uint64("seed", 0, "seed of weights and data")
	f.Int("threads", 0, "threads of ONNX Runtime, noted when the run begins; 0: one per core")
	f.StringArrayVar(&o.set, "set", nil, "any setting, as `key=value`; may be repeated")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.BoolVar(&o.resume, "resume", false, "go on with runs that were stopped; alone: with the one that was")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the settings, the memory and about how long it takes, and stop")
}

func (a *app) train(c *cobra.Command, o trainOptions, args []string) error {
	runs, err := a.trainRuns(c, o, args)
	if err != nil {
		return err
	}
	if !o.dryRun {
		signal.Ignore(syscall.SIGPIPE) // a training does not end with who reads its words
	}
	for i, r := range runs {
		if o.dryRun {
			if i > 0 {
				a.print("")
			}
			err = a.trainDry(c.Context(), r)
		} else {
			err = a.trainOne(c.Context(), r, o.resume)
		}
		if err != nil {
			return a.trainError(err, r, len(runs))
		}
	}
	return nil
}

// trainRuns lists the runs that the command line asks for: those named, the one that
// was stopped, or those of the settings.
func (a *app) trainRuns(c *cobra.Command, o trainOptions, names []string) (_ []launch.Run, err error) {
	given := o.given(c)
	switch {
	case len(names) > 0 && !o.resume:
		return nil, fmt.Errorf("unexpected argument %q; to go on with a run: %s", names[0], resumeCommand(names[0]))
	case len(names) > 0 && given != "":
		return nil, fmt.Errorf("--%s: a run that is resumed keeps the settings it began with", given)
	case len(names) == 0 && o.resume && given == "":
		if names, err = a.stoppedRun(o.runs); err != nil {
			return nil, err
		}
	case len(names) == 0:
		s, err := o.sources(c)
		if err != nil {
			return nil, err
		}
		return launch.Plan(o.runs, s)
	}
	return launch.Begun(names...)
}

// sources are the layers of the configuration.
func (o *trainOptions) sources(c *cobra.Command) (configs.Sources, error) {
	preset := c.Flag("preset")
	if preset.Changed {
		if err := oneOf("preset", preset.Value.String(), configs.Names()...); err != nil {
			return configs.Sources{}, err
		}
	}
	if err := checkEncodings(o.encodings); err != nil {
		return configs.Sources{}, err
	}
	var overrides []configs.Value
	for key, name := range trainFlags {
		if f := c.Flags().Lookup(name); f.Changed {
			overrides = append(overrides, configs.Value{Key: key, Value: f.Value.String(), From: "--" + name})
		}
	}
	pairs, err := configs.Pairs("--set", o.set)
	return configs.Sources{
		Preset: preset.Value.String(), User: userConfig(), File: o.file, Environ: os.Environ(),
		Overrides: append(overrides, pairs...), Encodings: o.encodings,
	}, err
}

// given is the first flag on the command line that says what to train, "" for none.
func (o *trainOptions) given(c *cobra.Command) string {
	names := append([]string{"preset", "config", "pe", "set"}, slices.Sorted(maps.Values(trainFlags))...)
	for _, name := range names {
		if c.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// columns lays words out in n columns.
func columns(words []string, n int) string {
	var b strings.Builder
	for row := range slices.Chunk(words, n) {
		for _, w := range row[:len(row)-1] {
			fmt.Fprintf(&b, "  %-24s", w)
		}
		fmt.Fprintf(&b, "  %s\n", row[len(row)-1])
	}
	return strings.TrimSuffix(b.String(), "\n")
}
