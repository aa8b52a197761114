package tables

import (
	"context"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/models/theory"
	"github.com/nopezoo/zoo/runtime"
)

// Positions runs a model of theorem 1 and lists the positions that it recovers; worst is in words.
func Positions(ctx context.Context, m *theory.Model, s *runtime.Session) (lines [][]string, worst string, err error) {
	recovered, err := m.Positions(ctx, s)
	if err != nil {
		return nil, "", err
	}
	lines = [][]string{{"position", "recovered", "error"}}
	show := func(t int) {
		v := recovered[t-1]
		lines = append(lines, []string{fmt.Sprint(t), fmt.Sprintf("%.6f", v), fmt.Sprintf("%.1e", v-float64(t))})
	}
	for t := 1; t < m.Max; t += t/2 + 1 { // not powers of two, where 1/t has no rounding
		show(t)
	}
	show(m.Max)
	most, position := 0.0, 1
	for i, v := range recovered {
		if e := math.Abs(v - float64(i+1)); e > most {
			most, position = e, i+1
		}
	}
	return lines, fmt.Sprintf("worst of all %d positions: %.1e, at %d", m.Max, most, position), nil
}

// Distances runs a model of theorem 2 and lists its attention by distance; worst is in words.
func Distances(ctx context.Context, m *theory.Model, s *runtime.Session) (lines [][]string, worst string, err error) {
	pairs, err := m.Distances(ctx, s)
	if err != nil {
		return nil, "", err
	}
	most := 0.0
	lines = [][]string{{"head", "slope", "distance", fmt.Sprintf("logit at t=%d", m.Max/2),
		fmt.Sprintf("at t=%d", m.Max), "-slope*distance", "error"}}
	for _, p := range pairs {
		most = max(most, p.Error)
		lines = append(lines, []string{fmt.Sprint(p.Head), fmt.Sprintf("%.6g", p.Slope), fmt.Sprint(p.Distance),
			fmt.Sprintf("%.5f", p.Logits[0]), fmt.Sprintf("%.5f", p.Logits[1]), fmt.Sprintf("%.5f", p.ALiBi),
			fmt.Sprintf("%.1e", p.Error)})
	}
	return lines, fmt.Sprintf("worst error: %.1e", most), nil
}
