package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/graph/tensor"
)

type reportOptions struct {
	output, title string
	svg, png      string
	ranks         string
}

func reportVerb(a *app) *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report RESULTS…",
		Short: "turn results into one web page, and into figures for papers",
		Long: `report reads what zoo bench wrote (files of JSON lines, or folders of them) and
writes one HTML file that works offline: accuracy and cost at every length, accuracy
against cost, ranks, tasks by encodings, and the published numbers beside ours.

Rows of several models, tasks, training seeds, machines and providers may be mixed.
Seeds of an encoding are averaged; costs of different machines or providers never.
Where the same thing was measured twice, the answers to the most prompts count (of
equally many the last), and the last times; as in the tables of zoo bench.`,
		Example: example(
			"zoo report results/ -o report.html",
			"zoo report results/a.jsonl results/b.jsonl --svg figures --png figures"),
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.report(o, args) },
	}
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "report.html", "`file` to write")
	f.StringVar(&o.title, "title", "", "title of the page")
	f.StringVar(&o.ranks, "ranks", ranksBy[0], ranksHelp)
	f.StringVar(&o.svg, "svg", "", "`folder` to write each figure to, as SVG")
	f.StringVar(&o.png, "png", "", "`folder` to write each figure to, as PNG")
	return c
}

func (a *app) report(o reportOptions, args []string) error {
	if err := oneOf("ranks", o.ranks, ranksBy...); err != nil {
		return err
	}
	rows, err := report.Read(args...)
	if err != nil {
		return err
	}
	study, err := report.New(rows, report.Options{
		Title: o.title, Encodings: encodingNames(), Command: strings.Join(append([]string{"zoo"}, a.args...), " "),
		Ranks: eval.Weighting(o.ranks),
	})
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := study.WriteHTML(&page); err != nil {
		return err
	}
	if err := writeInFolder(o.output, page.Bytes()); err != nil {
		return err
	}
	a.print("%s: %d rows; open it in a browser", o.output, len(rows))
	for _, kind := range []struct{ folder, format string }{{o.svg, "svg"}, {o.png, "png"}} {
		if err := a.figures(study, kind.folder, kind.format); err != nil {
			return err
		}
	}
	return nil
}

// figures writes each figure of a study into a folder; nothing for no folder.
func (a *app) figures(study *report.Study, folder, format string) error {
	if folder == "" {
		return nil
	}
	for _, f := range study.Figures() {
		var b bytes.Buffer
		if err := f.Write(&b, format); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		path := filepath.Join(folder, f.Name+"."+format)
		if err := writeInFolder(path, b.Bytes()); err != nil {
			return err
		}
		a.print("%s", path)
	}
	return nil
}

// writeInFolder writes a file at once, in a folder that it makes if need be.
func writeInFolder(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return tensor.WriteBytesAtomic(path, data)
}
