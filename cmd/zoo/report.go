package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/models"
)

type reportOptions struct {
	output, title string
	svg, png      string
	ranks         string
	published     string
	onlyFitted    bool
}

func reportVerb(a *app) *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report RESULTS…",
		Short: "turn results into one web page, and into figures for papers",
		Args:  arguments.Between(1, -1, "a file of results, or a folder of them"),
		RunE:  func(_ *cobra.Command, args []string) error { return a.report(o, args) },
	}
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "", "`file` to write, - for standard output (default: the name of RESULTS with .html, report.html for several)")
	f.StringVar(&o.title, "title", "", "title of the page")
	f.StringVar(&o.ranks, "ranks", ranksBy[0], ranksHelp)
	f.StringVar(&o.published, "published", "", "`file` of published numbers to set next to ours (default: "+
		summary.PublishedFile+" next to the results, or "+summary.PublishedSource+"'s)")
	f.BoolVar(&o.onlyFitted, "only-fitted", false, "count those training runs alone that fitted")
	f.StringVar(&o.svg, "svg", "", "`folder` to write each figure to, as SVG")
	f.StringVar(&o.png, "png", "", "`folder` to write each figure to, as PNG")
	return c
}

func (a *app) report(o reportOptions, args []string) error {
	if err := arguments.OneOf("ranks", o.ranks, ranksBy...); err != nil {
		return err
	}
	if o.svg == terminal.Stdout || o.png == terminal.Stdout {
		return errors.New("--svg and --png take a folder: there are several figures")
	}
	results, err := report.Read(args...)
	if err != nil {
		return err
	}
	page := terminal.OutputOr(o.output, pageOf(args))
	page.Inputs = results.Files
	if err := a.Check(page); err != nil {
		return err
	}
	published, err := summary.ReadPublished(o.published, args...)
	if err != nil {
		return err
	}
	made, err := report.New(results.Rows, report.Options{
		Title: o.title, Command: strings.Join(append([]string{"zoo"}, a.args...), " "), Observations: results.Observations,
		Options: summary.Options{Encodings: models.Encodings(), Ranks: o.ranks, OnlyFitted: o.onlyFitted, Published: published},
	})
	if err != nil {
		return err
	}
	if err := a.Write(page, made.WriteHTML); err != nil {
		return err
	}
	to := a.Messages(page)
	to.Print("%s: %s; open it in a browser", page.Path, human.Plural(len(results.Rows)+len(results.Observations), "row", "rows"))
	if err := figures(to, made, o.svg, "svg", page.Inputs); err != nil {
		return err
	}
	return figures(to, made, o.png, "png", page.Inputs)
}

// pageOf is the page of some results where none is named: one of its own for each file and folder.
func pageOf(results []string) string {
	if len(results) > 1 {
		return "report.html"
	}
	name, err := filepath.Abs(results[0]) // "." has a name, too
	if err != nil {
		return "report.html"
	}
	name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".gz"), ".jsonl")
	if name == string(filepath.Separator) {
		return "report.html"
	}
	return name + ".html"
}

// figures writes each figure of a report into a folder; nothing for no folder.
func figures(to terminal.Streams, of *report.Report, folder, format string, inputs []string) error {
	if folder == "" {
		return nil
	}
	for _, f := range of.Figures() {
		o := terminal.Output{Path: filepath.Join(folder, f.Name+"."+format), Inputs: inputs}
		if err := to.Write(o, func(w io.Writer) error { return f.Write(w, format) }); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		to.Print("%s", o.Path)
	}
	return nil
}
