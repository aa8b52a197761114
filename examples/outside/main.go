// Command outside is a module of its own that adds an encoding (root.go) and a task
// (last.go) to zoo: it trains a tiny model with the encoding and one without any,
// exports, verifies and measures both, and writes a page that compares them.
//
//	go run . [FOLDER]
//
// FOLDER takes the runs, the model files and the page; without it they go into a new
// folder in the system's place for temporary files. Training needs ONNX Runtime.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
	"github.com/nopezoo/zoo/zoo/verify"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	var folder string
	switch len(args) {
	case 0:
		folder, err = os.MkdirTemp("", "outside-")
	case 1:
		folder = args[0]
	default:
		err = fmt.Errorf("got %d arguments, want one folder at most", len(args))
	}
	if err != nil {
		return err
	}
	var files []bench.Model
	for _, encoding := range []string{"nope", "root"} {
		checkpoint, err := trained(ctx, filepath.Join(folder, "run-"+encoding), encoding)
		if err != nil {
			return err
		}
		path, err := exported(ctx, folder, checkpoint)
		if err != nil {
			return err
		}
		files = append(files, bench.File(path))
	}
	return measured(ctx, filepath.Join(folder, "report.html"), files)
}

// trained trains a model on the task for a few steps, in a new folder.
func trained(ctx context.Context, folder, encoding string) (*runfile.Checkpoint, error) {
	layers, err := configs.Load(configs.Sources{Preset: "tiny", Overrides: []configs.Value{
		{Key: "model.encoding", Value: encoding}, {Key: "train.task", Value: "last"},
		{Key: "model.d_model", Value: 32}, {Key: "model.d_ff", Value: 64},
		{Key: "model.n_layers", Value: 2}, {Key: "model.n_heads", Value: 2},
		{Key: "train.steps", Value: 400}, {Key: "train.warmup", Value: 40}, {Key: "train.lr", Value: 5e-3},
	}})
	if err != nil {
		return nil, err
	}
	cfg, err := layers.Config("")
	if err != nil {
		return nil, err
	}
	trainer, err := train.New(folder, cfg, train.Options{})
	if err != nil {
		return nil, err
	}
	defer trainer.Close()
	if err := trainer.Run(ctx, func(s journal.Stats) {
		if s.Step == 1 || s.Step == s.Steps {
			fmt.Printf("%s: step %d, loss %.3f\n", encoding, s.Step, s.Loss)
		}
	}); err != nil {
		return nil, err
	}
	checkpoint, _, err := runfile.Latest(folder)
	return checkpoint, err
}

// exported writes the model file of a checkpoint and verifies that ONNX Runtime answers
// what the interpreter does.
func exported(ctx context.Context, folder string, c *runfile.Checkpoint) (path string, err error) {
	described, err := c.Card("examples/outside")
	if err != nil {
		return "", err
	}
	model := modelfile.Model{Config: c.Config.Model, Weights: c.Weights, Card: described}
	files, err := verify.Build(ctx, model, verify.Options{})
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, model.FileName(card.Portable))
	fmt.Println("verified", path)
	return path, os.WriteFile(path, files[0].Data, 0o644)
}

// measured measures the model files at trained and longer lengths, and writes the page.
func measured(ctx context.Context, page string, files []bench.Model) error {
	options := bench.Defaults()
	options.Lengths = task.Spans(4, 8, 12, 16, 32)
	plan, err := bench.NewPlan(options)
	if err != nil {
		return err
	}
	if err := plan.Add(ctx, files...); err != nil {
		return err
	}
	rows, err := plan.Run(ctx, "", bench.Watch{})
	if err != nil {
		return err
	}
	r, err := report.New(rows, report.Options{Command: "examples/outside",
		Options: summary.Options{Encodings: models.Encodings()}})
	if err != nil {
		return err
	}
	fmt.Println(r.Tasks[0].Summary)
	out, err := os.Create(page)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := r.Write(out, "html"); err != nil {
		return err
	}
	fmt.Println("wrote", page)
	return out.Close()
}
