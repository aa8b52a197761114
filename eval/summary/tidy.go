package summary

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/lists"
)

// tidyHead names the columns of tidy CSV.
var tidyHead = strings.Fields("task task_version split model encoding intervention parameters train_seed train_data_seed train_steps " +
	"fitted train_min train_max profile dtype provider threads machine batch seed length_min length depth layer head tokens " +
	"measure unit value low high over n reason")

// tidyNumber is one number of a row; unknown ends of its interval are no interval.
type tidyNumber struct {
	measure, unit string
	Spread
	n int // samples or windows behind it; 0 for not counted
}

// WriteCSV writes tidy CSV: a line for each model, task, length and measure, then each number of observations. Of repeated
// cells the last row counts. Ratios lie in 0..1.
func WriteCSV(w io.Writer, rows []eval.Row, observations []eval.Observation) error {
	c := csv.NewWriter(w)
	c.Write(tidyHead) // Error tells
	rows, _ = latest(rows)
	for _, r := range rows {
		for _, n := range tidyNumbers(r) {
			c.Write(tidyLine(r, "", "", "", n))
		}
	}
	for _, o := range observations {
		r := eval.Row{Environment: eval.Environment{Model: o.Model}, Encoding: o.Encoding, Intervention: o.Intervention,
			TrainSeed: o.TrainSeed, DataSeed: o.DataSeed, TrainSteps: o.TrainSteps, TrainMin: o.TrainMin, TrainMax: o.TrainMax,
			Task: o.Task, TaskVersion: o.TaskVersion, Split: o.Split, Length: o.Length, Seed: o.Seed, Reason: o.Reason}
		for _, name := range slices.Sorted(maps.Keys(o.Values)) {
			n := tidyNumber{o.Measure + "." + name, "", single(Number(o.Values[name])), o.N}
			c.Write(tidyLine(r, strconv.Itoa(o.Layer), strconv.Itoa(o.Head), o.Tokens, n))
		}
	}
	c.Flush()
	return c.Error()
}

func tidyLine(r eval.Row, layer, head, tokens string, n tidyNumber) []string {
	fitted := ""
	if r.FittedStep != nil {
		fitted = strconv.FormatBool(*r.FittedStep > 0)
	}
	depth := ""
	if r.Depth != nil {
		depth = strconv.Itoa(*r.Depth)
	}
	return lists.Map([]any{r.Task, r.TaskVersion, r.Split, r.Model, r.Encoding, r.Intervention, r.Parameters, r.TrainSeed, cmp.Or(r.DataSeed, r.TrainSeed),
		r.TrainSteps, fitted, r.TrainMin, r.TrainMax, r.Profile, dtypeOf(r), r.Provider, r.Threads, computer(r), r.Batch, r.Seed,
		r.Span().Min, r.Span().Max, depth, layer, head, tokens, n.measure, n.unit, n.Median, n.Low, n.High, n.Over, n.n, r.Reason}, tidyField)
}

// tidyField writes a number in full, and nothing for one that is not known.
func tidyField(v any) string {
	n, number := v.(Number)
	switch {
	case !number:
		return fmt.Sprint(v)
	case !n.Known():
		return ""
	}
	return strconv.FormatFloat(float64(n), 'g', -1, 64)
}

// tidyNumbers are a row's numbers. A row that has none, as one longer than a model takes, has one that is not known.
func tidyNumbers(r eval.Row) []tidyNumber {
	var out []tidyNumber
	if r.N > 0 {
		c := pool([]eval.Row{r})
		out = append(out, tidyNumber{"exact_match", "", single(Number(c.accuracy)).overPrompts(c), r.N})
		if t := c.byTokens(); r.Tokens > 0 {
			out = append(out, tidyNumber{"tokens_right", "", single(Number(t.accuracy)).overPrompts(t), r.N})
		}
		out = append(out, tidyNumber{"edit_distance", "", single(Number(c.editDistance)), r.N},
			tidyNumber{"loss", "nats/token", single(Number(c.loss)), r.N})
	}
	if t := r.Text; t != nil {
		around := func(value, se float64) Spread {
			return Spread{Median: Number(value), Low: Number(value - se), High: Number(value + se), Over: "standard error"}
		}
		out = append(out, tidyNumber{"bits_per_byte", "bits/byte", around(t.Bits, t.BitsSE), t.N},
			tidyNumber{"sliding_bits_per_byte", "bits/byte", around(t.Sliding, t.SlidingSE), t.N})
	}
	if r.Timed() && r.Text == nil {
		costs := newCostPoint(r.Span(), []eval.Row{r})
		for _, m := range metrics() {
			name, _, _ := strings.Cut(strings.ToLower(m.Label), ",")
			if v := costs.Values[m.Key]; v.Median.Known() {
				out = append(out, tidyNumber{strings.ReplaceAll(name, " ", "_"), m.Unit, v, 0})
			}
		}
	}
	if len(out) == 0 {
		first := map[string]string{eval.MeasureSpeed: "prefill", eval.MeasureText: "bits_per_byte"}[r.Measure]
		out = []tidyNumber{{cmp.Or(first, "exact_match"), "", unknownSpread, 0}}
	}
	return out
}
