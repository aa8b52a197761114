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

// Resume opens a file of observations to append to, as rowlog.Open does, and takes the observations from it that the
// plan would make again; "" keeps nothing.
func (p *Plan) Resume(path string) (*rowlog.Log[eval.Observation], error) {
	log, err := rowlog.Open(path, rowlog.Format[eval.Observation]{Holds: "observations", MaxBytes: eval.MaxResults,
		Read: eval.ReadPartial[eval.Observation], Write: eval.Write[eval.Observation]})
	if err == nil {
		p.takeAll(log.Records)
	}
	return log, err
}

// takeAll takes the observations that the plan would make again. A cell that lacks one is read anew.
func (p *Plan) takeAll(observations []eval.Observation) {
	byCell := map[string][]eval.Observation{}
	for _, o := range observations {
		if o.Cell != "" {
			byCell[o.Cell] = append(byCell[o.Cell], o)
		}
	}
	for i := range p.cells {
		c := &p.cells[i]
		held := byCell[c.key()]
		if len(held) == 0 || len(held) < held[0].Together {
			continue
		}
		held = held[len(held)-held[0].Together:] // of several the last
		mapless := func(o eval.Observation) bool { return o.Measure == eval.MeasureAttention && !o.NA && o.Series == nil }
		if !c.maps || !slices.ContainsFunc(held, mapless) {
			p.take(c, held)
		}
	}
}

// versions count the changes of a measure's numbers, which make its cells of older files unknown.
var versions = map[string]int{eval.MeasureProbe: 1, eval.MeasureLogits: 1, eval.MeasureCausal: 5}

// key is eval.Observation.Cell, a hash of what is asked. Another field makes all cells of older files unknown.
func (c cell) key() string {
	asked := struct {
		Measure, Model, Intervention, Weights string
		Other, OtherWeights                   string
		Task                                  string
		TaskVersion                           int
		Length, Samples                       int
		Seed                                  uint64
		Tokens                                string
		FitLength                             int
		Version                               int `json:",omitempty"`
	}{c.measure, c.model.Label, c.model.Card.Intervention, c.model.hash, "", "", c.task.Name, c.task.Version, c.length, c.samples,
		c.seed, c.tokens, c.fitLength, versions[c.measure]}
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
		h.Write(t.Raw())
	}
	return hex.EncodeToString(h.Sum(nil))
}
