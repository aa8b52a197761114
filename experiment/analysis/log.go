package analysis

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/rowlog"
)

// Log is a file of findings that grows as they are made.
type Log = rowlog.Log[eval.Finding]

// OpenLog opens a file to append to, as rowlog.Open does; "" keeps nothing.
func OpenLog(path string) (*Log, error) {
	return rowlog.Open(path, rowlog.Format[eval.Finding]{Holds: "findings", MaxBytes: eval.MaxResults,
		Read: eval.ReadPartialFindings, Write: eval.WriteFindings})
}

// Resume takes those of findings that the plan would make again, and returns how many of its cells need not be
// looked into. A cell of which some are missing is looked into anew.
func (p *Plan) Resume(findings []eval.Finding) (cells int) {
	byCell := map[string][]eval.Finding{}
	for _, f := range findings {
		if f.Cell != "" {
			byCell[f.Cell] = append(byCell[f.Cell], f)
		}
	}
	for i := range p.cells {
		c := &p.cells[i]
		held := byCell[c.key()]
		if len(held) == 0 || len(held) < held[0].Together {
			continue
		}
		held = held[len(held)-held[0].Together:] // where there are more, the last ones
		mapless := func(f eval.Finding) bool { return f.Attention != nil && f.Attention.Map == nil }
		if c.request.Maps && slices.ContainsFunc(held, mapless) {
			continue
		}
		c.findings = held
		cells++
	}
	return cells
}

// key is eval.Finding.Cell: what was asked, in a few letters. Another field here makes all files' cells
// unknown, and one is needed where a measure comes to have other numbers.
func (c cell) key() string {
	r := c.request
	asked := struct {
		Measure, Model, Intervention, Weights string
		Other, OtherWeights                   string
		Task                                  string
		TaskVersion                           int
		Length, Samples                       int
		Seed                                  uint64
		Tokens                                string
		FitLength                             int
	}{c.measure, c.model.Label, c.model.Card.Intervention, c.model.hash, "", "", r.Task.Name, r.Task.Version, r.Length, r.Samples,
		r.Seed, r.Tokens, c.fitLength}
	if c.other != nil {
		asked.Other, asked.OtherWeights = c.other.Label, c.other.hash
	}
	text, err := json.Marshal(asked)
	if err != nil {
		panic(err) // strings and numbers
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// weightsHash tells weights apart: by their names, shapes and elements.
func weightsHash(weights map[string]*tensor.Tensor) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		t := weights[name]
		fmt.Fprintf(h, "%q %v %v\n", name, t.DType(), t.Shape())
		h.Write(t.AppendRaw(nil))
	}
	return hex.EncodeToString(h.Sum(nil))
}
