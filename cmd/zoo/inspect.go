package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo/find"
)

type inspectOptions struct {
	runs   string
	asJSON bool
	graph  bool
}

func inspectVerb(a *app) *cobra.Command {
	var o inspectOptions
	c := &cobra.Command{
		Use:   "inspect FILE|RUN|MODEL",
		Short: "describe a model file, a checkpoint, a run or a model of the catalogue",
		Long: `inspect describes an ONNX file (its card, inputs, outputs, operators and sizes, and
whether the pure-Go engine can read it), a checkpoint (.safetensors), a run
directory, or a model of the catalogue by its name.`,
		Example: example(
			"zoo inspect copy-rope.onnx", "zoo inspect copy-rope.onnx --graph",
			"zoo inspect runs/copy-rope-tiny-s1 --json"),
		Args: oneArgument("a file, a run directory or a model of the catalogue"),
		RunE: func(_ *cobra.Command, args []string) error { return a.inspect(args[0], o) },
	}
	c.Flags().BoolVar(&o.asJSON, "json", false, "write JSON")
	c.Flags().BoolVar(&o.graph, "graph", false, "write the graph as text")
	c.Flags().StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	exclusive(c, "json", "graph")
	return c
}

func (a *app) inspect(arg string, o inspectOptions) error {
	if strings.HasSuffix(arg, ".safetensors") && !o.graph {
		c, err := train.ReadCheckpoint(arg)
		if err != nil {
			return err
		}
		return a.inspectCheckpoint(arg, c, o.asJSON)
	}
	f, err := find.New(a.lookIn(o.runs))
	if err != nil {
		return err
	}
	s, err := f.Named(arg)
	if err != nil {
		return err
	}
	if s.Run != "" && !o.graph {
		c, err := s.Checkpoint()
		if err != nil {
			return err
		}
		return a.inspectCheckpoint(s.Run, c, o.asJSON)
	}
	data, err := s.ONNX(card.Portable)
	if err != nil {
		return err
	}
	if o.graph {
		err = a.printGraph(data)
	} else {
		err = a.inspectFile(arg, data, o.asJSON)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", arg, err)
	}
	return nil
}

func (a *app) printGraph(data []byte) error {
	m, err := export.Read(data)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(a.stdout, m.Graph)
	return err
}
