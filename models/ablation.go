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
	ablateEven = "even" // it gives the mean of the values that the query sees
	ablateMean = "mean" // it gives what it gives on average over data, the weight HeadMeanName
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
		if !slices.Contains([]string{ablateZero, ablateEven, ablateMean}, way) {
			return out, fmt.Errorf("ablation %q: want %s, %s or %s before the colon", text, ablateZero, ablateEven, ablateMean)
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
	if a.way == ablateMean && c.Attention == differential {
		return fmt.Errorf("ablation %q: %s attention subtracts its heads in pairs; ablate with %s or %s",
			c.Ablation, differential, ablateZero, ablateEven)
	}
	return nil
}

// MeanAblated lists the layers whose heads an ablation replaces by their means, ascending: those that have the weight
// HeadMeanName.
func (c Config) MeanAblated() []int {
	a, err := parseAblation(c.Ablation)
	if err != nil || a.way != ablateMean {
		return nil
	}
	var layers []int
	for _, at := range a.heads {
		if !slices.Contains(layers, at[0]) {
			layers = append(layers, at[0])
		}
	}
	slices.Sort(layers)
	return layers
}

// HeadMeans are the weights of a mean ablation, by name: of what heads give on average, by layer, [H·D], those that
// are ablated.
func (c Config) HeadMeans(average map[int][]float32) map[string]*tensor.Tensor {
	a, err := parseAblation(c.Ablation)
	out := map[string]*tensor.Tensor{}
	if err != nil {
		return out
	}
	for _, layer := range c.MeanAblated() {
		mean := make([]float32, len(average[layer]))
		width := len(mean) / c.NHeads
		for _, at := range a.heads {
			if at[0] == layer {
				copy(mean[at[1]*width:(at[1]+1)*width], average[layer][at[1]*width:])
			}
		}
		out[fmt.Sprintf(HeadMeanName, layer)] = tensor.Of(mean, len(mean))
	}
	return out
}

// ablate changes the attention weights [B,H,T,S] of the heads that the configuration names: to
// 0, or, evenly, to 1/n for each of the n keys that a query sees.
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
	if a.way != ablateEven {
		return weights
	}
	for i := range kept {
		kept[i] = 1 - kept[i]
	}
	seen := b.Max(s.Seen(), b.Float(1)) // a query that is padding sees nothing
	even := b.Div(b.Cast(s.Visible(), tensor.Float32), seen)
	return b.Add(weights, b.Mul(even, b.Const(perHead(kept))))
}

// addHeadMeans adds what the ablated heads of a layer give on average to what its heads give, y [B·T,H·D].
func (p *pass) addHeadMeans(layer int, y *graph.Node) *graph.Node {
	if !slices.Contains(p.cfg.MeanAblated(), layer) {
		return y
	}
	return p.b.Add(y, p.param(fmt.Sprintf(HeadMeanName, layer)))
}

// showHeads makes what the heads of a layer give, y [B·T,H·D], an output, where that is asked for.
func (p *pass) showHeads(layer int, y *graph.Node) {
	if p.mode.HeadOutputs {
		p.out.HeadOutputs = append(p.out.HeadOutputs, graph.Output{Name: fmt.Sprintf(HeadOutputName, layer), Node: y})
	}
}
