package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
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
	Inside          []summary.InsideTask
	InsideFigures   []figure
}

// writeHTML writes one HTML file that needs nothing else: no other file, no network.
func (s *Report) writeHTML(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"mark": s.mark, "count": human.Plural[int], "isNumber": isNumber, "text": cellText, "svg": svgOf, "textFigures": s.textFigures, "heat": heatFigure,
		"percent": func(n summary.Number) float64 { return 100 * float64(n) },
	}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("report: page: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, page{
		Report: s, Measures: s.measures(), Command: s.options.Command, Count: len(s.rows) + len(s.options.Observations), Drawing: s.drawing(),
		Style: template.CSS(pageStyle), Library: template.JS(chartLibrary), Script: template.JS(pageScript),
		Inside: s.inside, InsideFigures: s.insideFigures(),
		Places: slices.ContainsFunc(s.Tasks, func(t *summary.Task) bool { return len(t.Places) > 1 }),
	}); err != nil {
		return fmt.Errorf("report: page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// svgOf is a figure as an element of the page, without the namespaces that a file names.
func svgOf(f figure) (template.HTML, error) {
	var b bytes.Buffer
	err := f.Write(&b, "svg")
	_, element, _ := strings.Cut(b.String(), "<svg")
	return template.HTML("<svg" + svgNamespaces.ReplaceAllString(element, "")), err
}

var svgNamespaces = regexp.MustCompile(`\s+xmlns(:\w+)?="[^"]*"`)

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
