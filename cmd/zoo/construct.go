package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/models/theory"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/zoo/find"
)

type constructOptions struct {
	engineFlags
	theorem, max, heads int
	output              string
}

func constructVerb(a *app) *cobra.Command {
	var o constructOptions
	c := &cobra.Command{
		Use:   "construct",
		Short: "write the models of the NoPE paper's theorems, and test them",
		Long: `construct writes a decoder without positional encoding whose weights are those of
a proof (Kazemnejad et al. 2023), runs the file and prints what comes out.

Theorem 1: one layer recovers the absolute position from the causal mask and a
first token. The table shows position, recovered position and error.

Theorem 2: with the position known, the attention logits of a second layer are
a content term plus a function of the distance t − i. It is built with ALiBi's
slopes; the table shows, for pairs of equal words, the logit of the farther one
against that of the nearer, at two queries, and what ALiBi's formula gives. They
are read off the attention weights, so distances end where those vanish.`,
		Example: example(
			"zoo construct --theorem 1 --max 1024",
			"zoo construct --theorem 2 --heads 8 -o relative.onnx"),
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return a.construct(c.Context(), o) },
	}
	o.engineFlags.add(c)
	f := c.Flags()
	f.IntVar(&o.theorem, "theorem", 0, "1 or 2")
	f.IntVar(&o.max, "max", 1024, "greatest position")
	f.IntVar(&o.heads, "heads", 4, "attention heads of theorem 2")
	f.StringVarP(&o.output, "output", "o", "", "`file` to write, - for standard output (default: theorem-<1 or 2>.onnx)")
	return c
}

func (a *app) construct(ctx context.Context, o constructOptions) error {
	if err := o.engineFlags.check(); err != nil {
		return err
	}
	var m *theory.Model
	var err error
	switch {
	case o.theorem == 1:
		m, err = theory.Theorem1(o.max)
	case o.theorem == 2 && o.heads > 0:
		m, err = theory.Theorem2(o.max, pe.ALiBiSlopes(o.heads))
	case o.theorem == 2:
		err = fmt.Errorf("--heads %d: want 1 or more", o.heads)
	case o.theorem == 0:
		err = errors.New("--theorem is missing: want 1 or 2")
	default:
		err = fmt.Errorf("--theorem %d: want 1 or 2", o.theorem)
	}
	if err != nil {
		return err
	}
	out := output{path: o.output}
	if o.output == "" {
		out = defaultOutput(fmt.Sprintf("theorem-%d.onnx", o.theorem))
	}
	if err := out.check(a); err != nil {
		return err
	}
	described := card.Card{Tokenizer: m.Pieces, ToolVersion: version()}
	if err := a.needProvider(ctx, o.provider); err != nil {
		return err
	}
	s, data, err := o.open(find.Value("construction", modelfile.Model{Config: m.Config, Weights: m.Weights, Card: described}))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := a.writeBytes(out, data); err != nil {
		return err
	}
	a = a.beside(out)
	a.note("%s: %s, run by %s", out.path, bytesText(int64(len(data))), s.Info().Engine+" "+s.Info().Version)
	if o.theorem == 1 {
		return a.positions(ctx, m, s)
	}
	return a.distances(ctx, m, s, pe.ALiBiSlopes(o.heads))
}

// wordsAfterBOS is a sequence of the greatest length.
func wordsAfterBOS(m *theory.Model, word func(i int) int64) []int64 {
	ids := []int64{m.BOS}
	for i := 1; i < m.Max; i++ {
		ids = append(ids, word(i))
	}
	return ids
}

// positions prints what theorem 1's model recovers.
func (a *app) positions(ctx context.Context, m *theory.Model, s *runtime.Session) error {
	ids := wordsAfterBOS(m, func(i int) int64 { return m.Words[i%len(m.Words)] })
	out, err := s.Logits(ctx, [][]int64{ids})
	if err != nil {
		return err
	}
	recovered := func(t int) float64 {
		return float64(tensor.Data[float32](out[0])[(t-1)*m.Config.VocabSize+int(m.Position)])
	}
	lines := [][]string{{"position", "recovered", "error"}}
	show := func(t int) {
		lines = append(lines, []string{fmt.Sprint(t), fmt.Sprintf("%.6f", recovered(t)), fmt.Sprintf("%.1e", recovered(t)-float64(t))})
	}
	for t := 1; t < m.Max; t += t/2 + 1 { // not powers of two, where 1/t has no rounding
		show(t)
	}
	show(m.Max)
	if err := a.table(lines); err != nil {
		return err
	}
	worst, at := 0.0, 1
	for t := range m.Max {
		if e := math.Abs(recovered(t+1) - float64(t+1)); e > worst {
			worst, at = e, t+1
		}
	}
	a.print("worst of all %d positions: %.1e, at %d", m.Max, worst, at)
	return nil
}

// vanishing is the logit difference below which a float32 weight may lose digits.
const vanishing = -60

// distances prints how theorem 2's attention depends on the distance.
func (a *app) distances(ctx context.Context, m *theory.Model, s *runtime.Session, slopes []float64) error {
	queries := [2]int{m.Max / 2, m.Max}
	rows := make([][][]string, len(slopes)) // by head
	worst := 0.0
	for d := 1; d < queries[0]-1 && -slices.Min(slopes)*float64(d) > vanishing; d *= 2 {
		var logit [2][]float64
		for i, t := range queries {
			var err error
			if logit[i], err = against(ctx, m, s, t, d); err != nil {
				return err
			}
		}
		for h, slope := range slopes {
			want := -slope * float64(d)
			if want < vanishing {
				continue
			}
			e := max(math.Abs(logit[0][h]-want), math.Abs(logit[1][h]-want))
			worst = max(worst, e)
			rows[h] = append(rows[h], []string{fmt.Sprint(h), fmt.Sprintf("%.6g", slope), fmt.Sprint(d),
				fmt.Sprintf("%.5f", logit[0][h]), fmt.Sprintf("%.5f", logit[1][h]), fmt.Sprintf("%.5f", want), fmt.Sprintf("%.1e", e)})
		}
	}
	lines := [][]string{{"head", "slope", "distance", fmt.Sprintf("logit at t=%d", queries[0]), fmt.Sprintf("at t=%d", queries[1]), "-slope*distance", "error"}}
	if err := a.table(append(lines, slices.Concat(rows...)...)); err != nil {
		return err
	}
	a.print("worst error: %.1e", worst)
	return nil
}

// against returns, for each head, the attention logit of query t and the word at
// distance d, less that of the equal word at t itself.
func against(ctx context.Context, m *theory.Model, s *runtime.Session, t, d int) ([]float64, error) {
	var weights [2][]float32
	for i, at := range []int{t - 1 - d, t - 1} {
		ids := wordsAfterBOS(m, func(k int) int64 {
			if k == at {
				return m.Marked[0]
			}
			return m.Words[0]
		})
		out, err := s.Logits(ctx, [][]int64{ids[:t]})
		if err != nil {
			return nil, err
		}
		weights[i] = tensor.Data[float32](out[0])[(t-1)*m.Config.VocabSize:]
	}
	return each(m.Heads, func(id int64) float64 { return math.Log(float64(weights[0][id]) / float64(weights[1][id])) }), nil
}
