package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/nopezoo/zoo/eval/bench"
)

// dryBench prints the cells and how long they may take; it writes no file.
func (a *app) dryBench(ctx context.Context, p *bench.Plan, o benchOptions) error {
	rows, err := bench.ReadLog(o.output)
	if err != nil {
		return err
	}
	found := p.Resume(rows)
	if err := a.checkProviders(ctx, p.Providers()); err != nil {
		return err
	}
	seconds, err := p.Estimate(ctx)
	if err != nil {
		return withoutLibrary(err)
	}
	cells := p.Cells()
	switch o.format {
	case "json":
		return a.json(struct {
			Cells   []*bench.Cell `json:"cells"`
			Seconds float64       `json:"seconds"`
			RestsOn string        `json:"rests_on"`
		}{cells, seconds, bench.EstimateRestsOn})
	case "jsonl":
		e := json.NewEncoder(a.stdout)
		for _, c := range cells {
			if err := e.Encode(c); err != nil {
				return err
			}
		}
		return nil
	}
	if err := a.printCells(cells); err != nil {
		return err
	}
	kept := ""
	switch {
	case found == len(cells):
		a.print("\n%s, all of them in %s: nothing is left to measure", cellsText(found), o.output)
		return nil
	case found > 0:
		kept = fmt.Sprintf(", of which %s holds %d", o.output, found)
	}
	a.print("\n%s%s; about %s: %s", cellsText(len(cells)), kept, durationOf(seconds), bench.EstimateRestsOn)
	return nil
}

func (a *app) printCells(cells []*bench.Cell) error {
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "model\tprofile\tprovider\tthreads\tbatch\tmeasure\ttask\tseed\tlength\ttime")
	for _, c := range cells {
		task, seed, took := c.Task, strconv.FormatUint(c.Seed, 10), "n/a"
		if task == "" {
			task, seed = "-", "-"
		}
		if c.Measured {
			took = "measured"
		}
		if c.Seconds != nil {
			took = durationOf(*c.Seconds)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%d\t%s\n", c.Model, c.Profile, c.Provider, c.Threads, c.Batch,
			c.Measure, task, seed, c.Length, took)
	}
	return t.Flush()
}

func durationOf(seconds float64) string {
	return duration(time.Duration(seconds * float64(time.Second)))
}

func cellsText(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}
