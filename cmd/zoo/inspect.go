package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/train/runfile"
	"github.com/nopezoo/zoo/zoo"
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
		Short: "describe a model file, checkpoint, run or model of the catalogue",
		Args:  arguments.One("a file, a run directory or a model of the catalogue"),
		RunE:  func(_ *cobra.Command, args []string) error { return a.inspect(args[0], o) },
	}
	c.Flags().BoolVar(&o.asJSON, "json", false, "write JSON")
	c.Flags().BoolVar(&o.graph, "graph", false, "write the graph as text")
	c.Flags().StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	a.addLinks(c)
	arguments.Exclusive(c, "json", "graph")
	return c
}

func (a *app) inspect(arg string, o inspectOptions) error {
	if strings.HasSuffix(arg, ".safetensors") && !o.graph {
		c, err := runfile.ReadCheckpoint(arg)
		if err != nil {
			return err
		}
		return a.inspectCheckpoint(arg, c, o.asJSON)
	}
	s, err := zoo.Find(arg, a.lookIn(o.runs))
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
	data, beside, err := s.ONNX(card.Portable)
	if err != nil {
		return err
	}
	var external map[string][]byte // of a model of more than 2 GiB
	if beside != nil {
		if data, external, err = safety.ReadBeside(data, beside); err != nil {
			return fmt.Errorf("%s: %w", arg, err)
		}
	}
	if o.graph {
		err = a.inspectGraph(data, external)
	} else {
		err = a.inspectFile(arg, data, external, beside, o.asJSON)
	}
	return wrap.Error(err, "%s", arg)
}

// inspectGraph writes the graph of an ONNX file as text.
func (a *app) inspectGraph(data []byte, external map[string][]byte) error {
	f, err := safety.Check(data, safety.Options{External: external})
	if err != nil {
		return err
	}
	g, _, err := export.Read(f)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(a.Out, g)
	return err
}

// inspectFile describes an ONNX file. A damaged one is described before it is an error.
func (a *app) inspectFile(name string, data []byte, external map[string][]byte, beside fs.FS, asJSON bool) error {
	r, err := export.Inspect(data, external)
	if err != nil && !errors.Is(err, safety.ErrDamaged) {
		return err
	}
	var other *tables.Foreign // of a file without a card
	if r.Metadata[card.SchemaKey] == "" {
		other = tables.DescribeForeign(foreign.Describe(r.File, beside, false))
	}
	if asJSON {
		return cmp.Or(a.JSON(struct {
			Name string `json:"name"`
			export.Report
			Foreign *tables.Foreign `json:"foreign,omitempty"`
		}{name, r, other}), err)
	}
	return cmp.Or(a.Table(tables.File(name, r, other)), err)
}

// inspectCheckpoint describes a checkpoint, or a run by its newest one.
func (a *app) inspectCheckpoint(name string, c *runfile.Checkpoint, asJSON bool) error {
	if asJSON {
		return a.JSON(struct {
			Name string `json:"name"`
			tables.CheckpointInfo
		}{name, tables.DescribeCheckpoint(c)})
	}
	lines, err := tables.Checkpoint(name, c)
	if err != nil {
		return err
	}
	return a.Table(lines)
}
