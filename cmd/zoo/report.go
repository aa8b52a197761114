package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
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
	format        string
	svg, png, pdf string
	ranks         string
	published     string
	onlyFitted    bool
}

var reportFormats = []string{"html", "md", "csv", "latex"}

// resultsFolder keeps the rows of zoo bench, and is what zoo report takes where nothing is named.
const resultsFolder = "results"

func reportVerb(a *app) *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report [RESULTS…]",
		Short: "turn results into one web page, and into figures for papers",
		Args:  cobra.ArbitraryArgs,
		RunE:  func(_ *cobra.Command, args []string) error { return a.report(o, args) },
	}
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "", "`file` to write, - for standard output (default: the name of RESULTS with .html, report.html for several)")
	f.StringVar(&o.format, "format", "html", strings.Join(reportFormats, ", ")+": a page, tables for a paper, or rows for pandas")
	f.StringVar(&o.title, "title", "", "title of the page")
	f.StringVar(&o.ranks, "ranks", ranksBy[0], ranksHelp)
	f.StringVar(&o.published, "published", "", "`file` of published numbers to set next to ours (default: "+
		summary.PublishedFile+" next to the results, or "+summary.PublishedSource+"'s)")
	f.BoolVar(&o.onlyFitted, "only-fitted", false, "count those training runs alone that fitted")
	f.StringVar(&o.svg, "svg", "", "`folder` to write each figure to, as SVG")
	f.StringVar(&o.png, "png", "", "`folder` to write each figure to, as PNG")
	f.StringVar(&o.pdf, "pdf", "", "`folder` to write each figure to, as PDF")
	return c
}

func (a *app) report(o reportOptions, args []string) error {
	if err := cmp.Or(arguments.OneOf("ranks", o.ranks, ranksBy...), arguments.OneOf("format", o.format, reportFormats...)); err != nil {
		return err
	}
	figures := []figureFolder{{"svg", o.svg}, {"png", o.png}, {"pdf", o.pdf}}
	for _, f := range figures {
		if f.folder == terminal.Stdout {
			return fmt.Errorf("--%s takes a folder: there are several figures", f.format)
		}
	}
	if len(args) == 0 {
		if _, err := os.Stat(resultsFolder); err != nil {
			return fmt.Errorf("there is no folder %s, which zoo bench makes; measure something, or name a file of results", resultsFolder)
		}
		args = []string{resultsFolder}
	}
	results, err := report.Read(args...)
	if err != nil {
		return err
	}
	page := terminal.OutputOr(o.output, pageOf(args, o.format))
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
	if err := a.Write(page, func(w io.Writer) error { return made.Write(w, o.format) }); err != nil {
		return err
	}
	to := a.Messages(page)
	if page.Path != terminal.Stdout {
		next := ""
		if o.format == "html" {
			next = "; open it in a browser"
		}
		to.Print("%s: %s%s", page.Path, human.Plural(len(results.Rows)+len(results.Observations), "row", "rows"), next)
	}
	for _, f := range figures {
		if err := f.write(to, made, page.Inputs); err != nil {
			return err
		}
	}
	return nil
}

// pageOf is the page of some results where none is named: one of its own for each file and folder.
func pageOf(results []string, format string) string {
	extension := "." + format
	if format == "latex" {
		extension = ".tex"
	}
	if len(results) == 1 {
		if path, err := filepath.Abs(results[0]); err == nil { // "." has a name, too
			name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".jsonl")
			if name != string(filepath.Separator) {
				return name + extension
			}
		}
	}
	return "report" + extension
}

// figureFolder is where to write each figure of a report in a format; nowhere for no folder.
type figureFolder struct{ format, folder string }

func (d figureFolder) write(to terminal.Streams, made *report.Report, inputs []string) error {
	if d.folder == "" {
		return nil
	}
	for _, f := range made.Figures() {
		o := terminal.Output{Path: filepath.Join(d.folder, f.Name+"."+d.format), Inputs: inputs}
		if err := to.Write(o, func(w io.Writer) error { return f.Write(w, d.format) }); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		to.Print("%s", o.Path)
	}
	return nil
}
