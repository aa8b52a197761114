package pe

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/graph"
)

// hybrid gives each layer one of several encodings, by a pattern (RNoPE: Yang et al. 2025,
// arXiv 2501.18795). What they do to embeddings, each does once.
type hybrid struct {
	NoPE
	pattern Pattern
	names   []string // of the encodings, each once, in the order of their first layers
	parts   map[string]Encoding
}

// counted is an element of a hybrid as names of files and models have it: 3rope.
var counted = regexp.MustCompile(`(^|/)(\d+)([^/]*)`)

// IsHybrid reports whether a name is a pattern of encodings, "rope*3/nope", or has the form
// "3rope+nope" that such patterns take in names of files and models (see card.Card.Name).
func IsHybrid(name string) bool { return strings.ContainsAny(name, "*/+") }

// HybridPattern reads the name of a hybrid in either form. Whether its elements are known is
// for the caller to see.
func HybridPattern(name string) (Pattern, error) {
	text := counted.ReplaceAllString(strings.ReplaceAll(name, "+", "/"), "$1$3*$2")
	return ParsePattern(text)
}

// findHybrid returns a row for a pattern of encodings.
func findHybrid(p Pattern) (Row, error) {
	h := hybrid{pattern: p}
	paper, fits, scales, renews := map[string]json.RawMessage{}, false, false, false
	for _, name := range p {
		if slices.Contains(h.names, name) {
			continue
		}
		r, err := findOne(name)
		if err != nil {
			return Row{}, fmt.Errorf("encoding %v: %w", p, err)
		}
		h.names = append(h.names, name)
		if len(r.Paper) > 0 {
			paper[name] = r.Paper
		}
		fits, scales, renews = fits || r.Fit != nil, scales || r.Scale != nil, renews || r.Renew != nil
	}
	row := Row{Name: p.String(), Formula: "by layer: " + strings.Join(p, ", "), Cost: "that of each layer's encoding",
		Source: "Yang et al. 2025, arXiv 2501.18795",
		Make:   func(d Dims, settings json.RawMessage) (Encoding, error) { return h.with(d, settings) }}
	if fits {
		row.Fit = func(settings json.RawMessage, d Data) (json.RawMessage, error) {
			return h.change(settings, func(r Row, own json.RawMessage) (json.RawMessage, error) {
				if r.Fit == nil {
					return own, nil
				}
				return r.Fit(own, d)
			})
		}
	}
	if scales {
		row.Scale = func(settings json.RawMessage, s RoPEScaling) (json.RawMessage, error) {
			return h.change(settings, func(r Row, own json.RawMessage) (json.RawMessage, error) {
				if r.Scale == nil {
					return own, nil
				}
				return r.Scale(own, s)
			})
		}
	}
	if renews {
		row.Renew = func(settings json.RawMessage) (json.RawMessage, error) {
			return h.change(settings, func(r Row, own json.RawMessage) (json.RawMessage, error) {
				if r.Renew == nil {
					return own, nil
				}
				return r.Renew(own)
			})
		}
	}
	var err error
	if len(paper) > 0 {
		row.Paper, err = json.Marshal(paper)
	}
	return row, err
}

// change changes the settings of each encoding.
func (h hybrid) change(
	settings json.RawMessage, f func(r Row, own json.RawMessage) (json.RawMessage, error),
) (json.RawMessage, error) {
	of, err := h.byName(settings)
	if err != nil {
		return nil, err
	}
	for _, name := range h.names {
		r, err := findOne(name)
		if err != nil {
			return nil, err
		}
		own, err := f(r, of[name])
		if err != nil {
			return nil, fmt.Errorf("settings of %q: %w", name, err)
		}
		if delete(of, name); len(own) > 0 {
			of[name] = own
		}
	}
	if len(of) == 0 {
		return nil, nil
	}
	return json.Marshal(of)
}

// with makes the encodings, with settings by their names.
func (h hybrid) with(d Dims, settings json.RawMessage) (Encoding, error) {
	if err := h.pattern.CheckLayers(d.Layers); err != nil {
		return nil, err
	}
	of, err := h.byName(settings)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if !slices.Contains(h.names, name) {
			return nil, fmt.Errorf("settings of %q: its encodings are %s, and settings stand under their names",
				name, strings.Join(h.names, ", "))
		}
	}
	h.parts = map[string]Encoding{}
	for _, name := range h.names {
		r, err := findOne(name)
		if err != nil {
			return nil, err
		}
		if h.parts[name], err = r.New(d, of[name]); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// byName returns the settings of each encoding.
func (h hybrid) byName(settings json.RawMessage) (map[string]json.RawMessage, error) {
	of := map[string]json.RawMessage{}
	if len(settings) == 0 {
		return of, nil
	}
	if err := json.Unmarshal(settings, &of); err != nil {
		return nil, fmt.Errorf("settings %s: want those of each encoding under its name, as in {%q: {…}}",
			settings, h.names[0])
	}
	return of, nil
}

// At implements LayerChooser.
func (h hybrid) At(layer, layers int) Encoding {
	e := h.parts[h.pattern.At(layer)]
	if c, ok := e.(LayerChooser); ok {
		return c.At(layer, layers)
	}
	return e
}

// Params implements Encoding: those of all layers, and of each layer its encoding's.
func (h hybrid) Params() (list []Param) {
	for _, name := range h.names {
		for _, p := range h.parts[name].Params() {
			if layer, ok := layerOf(p.Name); !ok || h.pattern.At(layer) == name {
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
	for _, name := range h.names {
		x = h.parts[name].Embed(s, x)
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
