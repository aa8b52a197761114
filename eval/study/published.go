package study

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The comments at the head of the files name their source.
//
//go:embed published/accuracy.csv
var publishedAccuracy []byte

//go:embed published/lengths.csv
var publishedLengths []byte

//go:embed published/ranks.csv
var publishedRanks []byte

// The setup behind the published numbers. Their prompts are not ours, but drawn alike:
// package task says what differs, among others of PCFG.
const (
	PublishedSource     = "Kazemnejad et al., NeurIPS 2023, arXiv 2305.19466"
	PublishedParameters = 109_607_040
	PublishedSteps      = 40_000
)

// Published is one published accuracy of the paper that this project rebuilds.
type Published struct {
	Task, Encoding string
	Seed           string // "mean" for the mean over three seeds
	Inside, Beyond Number // exact match, 0..1; NaN where not published
}

// PublishedRank is one published mean reciprocal rank, overall and by group of
// tasks.
type PublishedRank struct {
	Encoding                      string
	All, Primitive, Math, Classic Number
	Tie                           int // place in the paper's tie order, from 1
}

// PublishedAccuracy returns the published accuracies.
func PublishedAccuracy() ([]Published, error) {
	var out []Published
	err := readCSV(publishedAccuracy, []string{"task", "encoding", "seed", "inside", "beyond"}, func(f []string) error {
		p := Published{Task: f[0], Encoding: f[1], Seed: f[2]}
		out = append(out, p)
		return parse(f[3:], &out[len(out)-1].Inside, &out[len(out)-1].Beyond)
	})
	return out, err
}

// Curve is the published accuracy of one encoding at the longer lengths of a task.
type Curve struct {
	Task, Encoding string
	At             map[int]float64 // by length
}

// PublishedCurves returns the published accuracies by length.
func PublishedCurves() ([]Curve, error) {
	var out []Curve
	err := readCSV(publishedLengths, []string{"task", "encoding", "lengths"}, func(f []string) error {
		c := Curve{f[0], f[1], map[int]float64{}}
		for point := range strings.FieldsSeq(f[2]) {
			length, accuracy, _ := strings.Cut(point, ":")
			n, err := strconv.Atoi(length)
			if err != nil {
				return err
			}
			if c.At[n], err = strconv.ParseFloat(accuracy, 64); err != nil {
				return err
			}
		}
		out = append(out, c)
		return nil
	})
	return out, err
}

// PublishedRanks returns the published mean reciprocal ranks in the paper's tie
// order.
func PublishedRanks() ([]PublishedRank, error) {
	var out []PublishedRank
	columns := []string{"encoding", "all", "primitive", "math", "classic", "tie"}
	err := readCSV(publishedRanks, columns, func(f []string) (err error) {
		r := PublishedRank{Encoding: f[0]}
		if err = parse(f[1:5], &r.All, &r.Primitive, &r.Math, &r.Classic); err == nil {
			r.Tie, err = strconv.Atoi(f[5])
		}
		out = append(out, r)
		return err
	})
	slices.SortFunc(out, func(a, b PublishedRank) int { return cmp.Compare(a.Tie, b.Tie) })
	return out, err
}

// readCSV calls row with the fields of every line after the head.
func readCSV(data []byte, head []string, row func([]string) error) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		return fmt.Errorf("study: published numbers: %w", err)
	}
	if len(lines) == 0 || !slices.Equal(lines[0], head) {
		return fmt.Errorf("study: published numbers do not begin with the columns %q", head)
	}
	for _, fields := range lines[1:] {
		if err := row(fields); err != nil {
			return fmt.Errorf("study: published numbers %q: %w", fields, err)
		}
	}
	return nil
}

// parse reads numbers; an empty one is NaN.
func parse(fields []string, into ...*Number) error {
	for i, f := range fields {
		if f == "" {
			*into[i] = Unknown
			continue
		}
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return err
		}
		*into[i] = Number(v)
	}
	return nil
}
