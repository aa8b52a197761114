package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/study"
	"github.com/nopezoo/zoo/models"
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
		Args: arguments(1, -1, "a file of results, or a folder of them"),
		RunE: func(_ *cobra.Command, args []string) error { return a.report(o, args) },
	}
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "", "`file` to write, - for standard output (default: report.html)")
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
	if o.svg == stdoutName || o.png == stdoutName {
		return errors.New("--svg and --png take a folder: there are several figures")
	}
	page := output{path: o.output}
	if o.output == "" {
		page = defaultOutput("report.html")
	}
	var err error
	if page.inputs, err = report.Files(args...); err != nil {
		return err
	}
	if err := page.check(a); err != nil {
		return err
	}
	rows, err := report.Read(args...)
	if err != nil {
		return err
	}
	made, err := report.New(rows, report.Options{
		Title: o.title, Encodings: models.Encodings(), Command: strings.Join(append([]string{"zoo"}, a.args...), " "),
		Ranks: study.Weighting(o.ranks),
	})
	if err != nil {
		return err
	}
	if err := a.write(page, made.WriteHTML); err != nil {
		return err
	}
	a = a.beside(page)
	a.print("%s: %d rows; open it in a browser", page.path, len(rows))
	if err := a.figures(made, o.svg, "svg", page.inputs); err != nil {
		return err
	}
	return a.figures(made, o.png, "png", page.inputs)
}

// figures writes each figure of a report into a folder; nothing for no folder.
func (a *app) figures(of *report.Report, folder, format string, inputs []string) error {
	if folder == "" {
		return nil
	}
	for _, f := range of.Figures() {
		o := output{path: filepath.Join(folder, f.Name+"."+format), inputs: inputs}
		if err := a.write(o, func(w io.Writer) error { return f.Write(w, format) }); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		a.print("%s", o.path)
	}
	return nil
}
