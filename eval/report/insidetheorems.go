package report

import (
	"fmt"
	"strconv"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// logitsBlock has how far the logits of heads are a term of the content plus one of the distance.
func logitsBlock(t summary.InsideTask) block {
	b := block{title: "attention logits fitted by the two tokens and their distance (theorem 2), on random tokens: R² of both " +
		"together (distance alone, content alone), and after a slash how much the term of distance falls with each token",
		lines: [][]string{append([]string{"model", "head"}, lengthHeads(t.Lengths)...)}}
	for _, m := range t.Models {
		for _, l := range m.Logits {
			line := []string{m.Name, fmt.Sprintf("%d.%d", l.Layer, l.Head)}
			for _, at := range l.At {
				line = append(line, logitsText(at))
			}
			b.lines = append(b.lines, line)
		}
	}
	return b
}

func logitsText(l *eval.LogitFit) string {
	if l == nil {
		return "–"
	}
	return fmt.Sprintf("%s (%s, %s)/%s", twoDigits(l.Both), twoDigits(l.Distance), twoDigits(l.Content),
		strconv.FormatFloat(l.Slope, 'g', 2, 64))
}

// causalBlock has what becomes of the task when hidden states lose the position that probes read.
func causalBlock(t summary.InsideTask) block {
	b := block{title: "% of the answers' tokens right when hidden states lose the position that probes read, in so many directions: before, " +
		"ablated (moved as far at random), patched (moved as far at random); left: the R² of a new probe after that, of the first before it",
		lines: [][]string{{"model", "layers", "length", "directions", "before", "ablated", "patched", "left"}}}
	for _, m := range t.Models {
		for _, c := range m.Causal {
			for i, at := range c.At {
				if at == nil {
					continue
				}
				share := func(s eval.CausalScore) string { return whole(summary.Number(s.Share())) }
				b.lines = append(b.lines, []string{m.Name, strconv.Itoa(c.Layers), strconv.Itoa(t.Lengths[i]), strconv.Itoa(max(at.Directions, 1)),
					share(at.Before),
					share(at.Ablated) + " (" + share(at.AblatedControl) + ")", share(at.Patched) + " (" + share(at.PatchedControl) + ")",
					twoDigits(at.R2After) + " of " + twoDigits(at.R2)})
			}
		}
	}
	return b
}
