package models

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// Ways to ablate a head, of Config.Ablation.
const (
	ablateZero = "zero" // it gives 0
	ablateMean = "mean" // it gives the mean of the values that the query sees
)

// ablation is Config.Ablation, read.
type ablation struct {
	way   string
	heads [][2]int // layer and head, both from 0
}

// parseAblation reads "0.1,1.3", or with the way before a colon "mean:0.1,1.3"; "" is no ablation.
func parseAblation(text string) (ablation, error) {
	out := ablation{way: ablateZero}
	if text == "" {
		return out, nil
	}
	heads := text
	if way, rest, found := strings.Cut(text, ":"); found {
		if way != ablateZero && way != ablateMean {
			return out, fmt.Errorf("ablation %q: want %s or %s before the colon", text, ablateZero, ablateMean)
		}
		out.way, heads = way, rest
	}
	for name := range strings.SplitSeq(heads, ",") {
		layer, head, _ := strings.Cut(name, ".")
		l, err1 := strconv.Atoi(layer)
		h, err2 := strconv.Atoi(head)
		if err1 != nil || err2 != nil || name != fmt.Sprintf("%d.%d", l, h) {
			return out, fmt.Errorf("ablation %q: %q: want LAYER.HEAD, both counted from 0, or several with commas: 0.1,1.3",
				text, name)
		}
		if slices.Contains(out.heads, [2]int{l, h}) {
			return out, fmt.Errorf("ablation %q: the head %s stands there twice", text, name)
		}
		out.heads = append(out.heads, [2]int{l, h})
	}
	return out, nil
}

// checkAblation wants heads that the model has.
func checkAblation(c Config) error {
	a, err := parseAblation(c.Ablation)
	if err != nil {
		return err
	}
	for _, at := range a.heads {
		if at[0] < 0 || at[0] >= c.NLayers || at[1] < 0 || at[1] >= c.NHeads {
			return fmt.Errorf("ablation %q: there is no head %d.%d; layers are 0 to %d, and heads 0 to %d",
				c.Ablation, at[0], at[1], c.NLayers-1, c.NHeads-1)
		}
	}
	return nil
}

// ablate changes the attention weights [B,H,T,S] of the heads that the configuration names: to
// 0, or to 1/n for each of the n keys that a query sees.
func (p *pass) ablate(s *pe.Site, weights *graph.Node) *graph.Node {
	a, err := parseAblation(p.cfg.Ablation)
	if err != nil {
		return p.b.Fail(err)
	}
	kept, any := slices.Repeat([]float64{1}, p.cfg.NHeads), false
	for _, at := range a.heads {
		if at[0] == s.Layer {
			kept[at[1]], any = 0, true
		}
	}
	if !any {
		return weights
	}
	b := p.b
	weights = b.Mul(weights, b.Const(perHead(kept)))
	if a.way == ablateZero {
		return weights
	}
	for i := range kept {
		kept[i] = 1 - kept[i]
	}
	seen := b.Max(s.Seen(), b.Float(1)) // a query that is padding sees nothing
	even := b.Div(b.Cast(s.Visible(), tensor.Float32), seen)
	return b.Add(weights, b.Mul(even, b.Const(perHead(kept))))
}
