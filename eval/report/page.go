package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/human"
)

var (
	//go:embed page/page.gohtml
	pageTemplate string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string
	// Apache ECharts; page/echarts/README.md says which, and how it was built.
	//
	//go:embed page/echarts/echarts.min.js
	chartLibrary string
)

// page is the template's input.
type page struct {
	*Report
	Measures        []*summary.Study
	Command         string
	Count           int // of measurements
	Style           template.CSS
	Library, Script template.JS
	Places          bool // whether any task was measured in several places
	Drawing         drawing
}

// writeHTML writes one HTML file that needs nothing else: no other file, no network.
func (s *Report) writeHTML(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"mark": s.mark, "count": human.Plural[int], "isNumber": isNumber, "text": cellText, "inside": s.insideView, "texts": s.textViews,
		"percent": func(n summary.Number) float64 { return 100 * float64(n) },
	}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("report: page: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, page{
		Report: s, Measures: s.measures(), Command: s.command, Count: len(s.rows) + len(s.observations), Drawing: s.drawing(),
		Style: template.CSS(pageStyle + s.palette()), Library: template.JS(chartLibrary),
		Script: template.JS(pageScript),
		Places: slices.ContainsFunc(s.Tasks, func(t *summary.Task) bool { return len(t.Places) > 1 }),
	}); err != nil {
		return fmt.Errorf("report: page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// palette gives each encoding its colour in both themes: --e0, --e1, …
func (s *Report) palette() string {
	var light, dark, classes strings.Builder
	for i, e := range s.Encodings {
		fmt.Fprintf(&light, "--e%d:%s;", i, e.Light)
		fmt.Fprintf(&dark, "--e%d:%s;", i, e.Dark)
		fmt.Fprintf(&classes, ".e%d{color:var(--e%d)}\n", i, i)
	}
	return fmt.Sprintf(":root{%s}\n:root[data-theme=dark]{%s}\n"+
		"@media (prefers-color-scheme:dark){:root:not([data-theme=light]){%s}}\n%s", &light, &dark, &dark, &classes)
}

// view is a part of the page with charts as SVG.
type view struct {
	Title    string
	Sections []summary.Section
	Charts   []pageChart
}

// textViews are the page's parts about corpora.
func (s *Report) textViews() (out []view, err error) {
	for _, t := range s.Texts {
		v := view{Title: t.Section.Title, Sections: []summary.Section{t.Section}}
		if v.Charts, err = pageCharts(s.textFigures(t)); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// insideView is the page's part about observations, without tables of heads for steps on the way.
func (s *Report) insideView() (v view, err error) {
	for _, t := range s.inside {
		v.Sections = append(v.Sections, t.Sections(false)...)
	}
	v.Charts, err = pageCharts(s.insideFigures())
	return v, err
}

// mark is the shape of an encoding, from 1, in its colour.
func (s *Report) mark(shape int) template.HTML {
	encoding := shape - 1
	return template.HTML(fmt.Sprintf(`<svg class="mark e%d" viewBox="-1.4 -1.4 2.8 2.8" aria-hidden="true">`+
		`<path d="%s" fill="currentColor"/></svg>`, encoding, s.Encodings[encoding].Path))
}

// isNumber reports whether a column holds numbers, which stand flush right.
func isNumber(t summary.Table, column int) bool {
	return column > 0 && (len(t.Lines) == 0 || !t.Lines[0][column].Words)
}

// cellText is a cell's text and mark; a space as wide as a digit stands for a mark that others of the column have.
func cellText(t summary.Table, column int, c summary.Cell) string {
	if c.Mark == "" && slices.ContainsFunc(t.Lines, func(line []summary.Cell) bool { return line[column].Mark != "" }) {
		return c.Text + "\u2007"
	}
	return c.Text + c.Mark
}
