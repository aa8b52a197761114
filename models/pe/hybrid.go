package pe

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/graph"
)

// hybrid gives each layer one of several encodings, by a pattern (RNoPE: Yang et al. 2025,
// arXiv 2501.18795). Each acts on the embeddings once.
type hybrid struct {
	NoPE
	pattern Pattern
	rows    []Row               // of the encodings, each once, in the order of their first layers
	parts   map[string]Encoding // by name
}

// isHybrid reports whether a name is a pattern of encodings, "rope*3/nope", or has the form
// "3rope+nope" that such patterns take in names of files and models (see card.Card.Name).
func isHybrid(name string) bool { return strings.ContainsAny(name, "*/+") }

// findHybrid returns a row for a pattern of encodings. It has the functions on settings that
// some of them have.
func findHybrid(p Pattern) (Row, error) {
	h := hybrid{pattern: p}
	paper, fits, scales, renews := map[string]json.RawMessage{}, false, false, false
	for _, name := range p {
		if slices.ContainsFunc(h.rows, func(r Row) bool { return r.Name == name }) {
			continue
		}
		r, err := findPart(name)
		if err != nil {
			return Row{}, fmt.Errorf("encoding %v: %v", p, err) // not ErrUnknown: a pattern is no misspelt name
		}
		if len(r.Paper) > 0 {
			paper[name] = r.Paper
		}
		fits, scales, renews = fits || r.Fit != nil, scales || r.Scale != nil, renews || r.Renew != nil
		h.rows = append(h.rows, r.complete())
	}
	row := Row{Name: p.String(), Formula: "by layer: " + strings.Join(p, ", "), Cost: "that of each layer's encoding",
		Source: "Yang et al. 2025, arXiv 2501.18795"}
	row.Make = named(row.Name, maker{h.settingsOfAll(), h.with})
	if fits {
		row.Fit = func(settings json.RawMessage, d Data) (json.RawMessage, error) {
			return h.change(settings, func(r Row, own json.RawMessage) (json.RawMessage, error) { return r.Fit(own, d) })
		}
	}
	if scales {
		row.Scale = func(settings json.RawMessage, method string, factor float64, trained func() (int, error)) (json.RawMessage, error) {
			return h.change(settings, func(r Row, own json.RawMessage) (json.RawMessage, error) {
				return r.Scale(own, method, factor, trained)
			})
		}
	}
	if renews {
		row.Renew = func(settings json.RawMessage) (json.RawMessage, error) { return h.change(settings, Row.renew) }
	}
	var err error
	if len(paper) > 0 {
		row.Paper, err = json.Marshal(paper)
	}
	return row, err
}

// complete has functions on settings that change nothing in place of those that the row lacks.
func (r Row) complete() Row {
	if r.Fit == nil {
		r.Fit = func(settings json.RawMessage, _ Data) (json.RawMessage, error) { return settings, nil }
	}
	if r.Scale == nil {
		r.Scale = func(settings json.RawMessage, _ string, _ float64, _ func() (int, error)) (json.RawMessage, error) {
			return settings, nil
		}
	}
	if r.Renew == nil {
		r.Renew = func(settings json.RawMessage) (json.RawMessage, error) { return settings, nil }
	}
	return r
}

func (r Row) renew(settings json.RawMessage) (json.RawMessage, error) { return r.Renew(settings) }

// findPart returns the row of an element of a hybrid. A label behind a dot tells settings of one encoding
// apart: "rope.local*5/rope" (Gemma 3) has two ropes, with settings under those names.
func findPart(element string) (Row, error) {
	name, _, _ := strings.Cut(element, ".")
	r, err := findOne(name)
	r.Name = element
	return r, err
}

// change changes the settings of each encoding.
func (h hybrid) change(
	settings json.RawMessage, f func(r Row, own json.RawMessage) (json.RawMessage, error),
) (json.RawMessage, error) {
	byName, err := h.settings(settings)
	if err != nil {
		return nil, err
	}
	for _, r := range h.rows {
		own, err := f(r, byName[r.Name])
		if err != nil {
			return nil, fmt.Errorf("settings of %q: %w", r.Name, err)
		}
		if delete(byName, r.Name); len(own) > 0 {
			byName[r.Name] = own
		}
	}
	if len(byName) == 0 {
		return nil, nil
	}
	return json.Marshal(byName)
}

// settingsOfAll are those of each encoding, under its name.
func (h hybrid) settingsOfAll() (out []setting) {
	for _, r := range h.rows {
		for _, s := range r.Make.Settings {
			out = append(out, setting{r.Name + "." + s.Name, s.About})
		}
	}
	return out
}

// with makes the encodings, with settings by their names.
func (h hybrid) with(d Dims, settings json.RawMessage) (Encoding, error) {
	if err := h.pattern.checkLayers(d.Layers); err != nil {
		return nil, err
	}
	byName, err := h.settings(settings)
	if err != nil {
		return nil, err
	}
	h.parts = map[string]Encoding{}
	var names []string
	for _, r := range h.rows {
		if h.parts[r.Name], err = r.Make.New(d, byName[r.Name]); err != nil {
			return nil, err
		}
		names = append(names, r.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if h.parts[name] == nil {
			return nil, fmt.Errorf("settings of %q: its encodings are %s, and settings stand under their names",
				name, strings.Join(names, ", "))
		}
	}
	return h, nil
}

// settings returns the settings of each encoding, by name.
func (h hybrid) settings(settings json.RawMessage) (map[string]json.RawMessage, error) {
	byName := map[string]json.RawMessage{}
	if len(settings) == 0 {
		return byName, nil
	}
	if err := json.Unmarshal(settings, &byName); err != nil {
		return nil, fmt.Errorf("settings %s: want those of each encoding under its name, as in {%q: {…}}",
			settings, h.rows[0].Name)
	}
	return byName, nil
}

// At implements LayerChooser.
func (h hybrid) At(layer, layers int) Encoding {
	e := h.parts[h.pattern.at(layer)]
	if c, ok := e.(LayerChooser); ok {
		return c.At(layer, layers)
	}
	return e
}

// Params implements Encoding: the parameters of all layers, and of each layer its encoding's.
func (h hybrid) Params() (list []Param) {
	for _, r := range h.rows {
		for _, p := range h.parts[r.Name].Params() {
			if layer, ok := layerOf(p.Name); !ok || h.pattern.at(layer) == r.Name {
				list = append(list, p)
			}
		}
	}
	return list
}

// layerOf returns the layer that a weight belongs to, by its name.
func layerOf(param string) (layer int, ok bool) {
	rest, ok := strings.CutPrefix(param, "layers.")
	number, _, _ := strings.Cut(rest, ".")
	layer, err := strconv.Atoi(number)
	return layer, ok && err == nil
}

// Embed implements Encoding.
func (h hybrid) Embed(s *Site, x *graph.Node) *graph.Node {
	for _, r := range h.rows {
		x = h.parts[r.Name].Embed(s, x)
	}
	return x
}

// MaxLength implements Bounded: the least of those that have one, 0 for none.
func (h hybrid) MaxLength() int {
	least := 0
	for _, e := range h.parts {
		if b, ok := e.(Bounded); ok && b.MaxLength() > 0 && (least == 0 || b.MaxLength() < least) {
			least = b.MaxLength()
		}
	}
	return least
}
