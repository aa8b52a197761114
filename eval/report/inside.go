package report

import "github.com/nopezoo/zoo/eval/summary"

// insideView is the page's part about observations: tables, and charts as SVG.
type insideView struct {
	Sections []summary.Section
	Charts   []pageChart
}

// insideView lays the observations out for the page, without tables of heads for steps on the way.
func (s *Report) insideView() (insideView, error) {
	var v insideView
	for _, t := range s.inside {
		v.Sections = append(v.Sections, t.Sections(false)...)
	}
	var err error
	v.Charts, err = pageCharts(s.insideFigures())
	return v, err
}
