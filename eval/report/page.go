package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
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

// page is what the template sees.
type page struct {
	*Study
	Style            template.CSS
	Library, Script  template.JS
	Parameters       string // of the paper's models
	PublishedSource  string
	Measurements     string
	PublishedSteps   string
	Contests, Single bool                   // whether anything is ranked; whether there is but one task
	Scored, Heat     bool                   // whether any task has accuracies; whether several have
	Places           bool                   // whether any task was measured in several places
	Scores           map[Measure][][]Number // mean beyond training by task and series
	Nowhere          Place
}

// WriteHTML writes the study as one HTML file that needs nothing else: no other
// file, no network. The same study gives the same bytes.
func (s *Study) WriteHTML(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{"mark": s.mark}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("report: page: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, page{
		Study: s, Style: template.CSS(pageStyle + s.palette()), Library: template.JS(chartLibrary), Script: template.JS(pageScript),
		Parameters: millions(PublishedParameters), PublishedSource: PublishedSource, PublishedSteps: thousands(PublishedSteps),
		Measurements: count(s.Sources.Rows, "measurement", "measurements"), Contests: len(s.Ranks) > 0, Single: len(s.Tasks) == 1, Scored: len(s.scored()) > 0, Heat: len(s.scored()) > 1,
		Places: slices.ContainsFunc(s.Tasks, func(t *Task) bool { return len(t.Places) > 1 }), Scores: s.scores(),
	}); err != nil {
		return fmt.Errorf("report: page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// scores are what the page sets against costs and into the heat map, by each measure.
func (s *Study) scores() map[Measure][][]Number {
	out := map[Measure][][]Number{}
	for _, by := range s.Measures() {
		out[by.Measure] = each(by.Tasks, func(t *Task) []Number {
			return each(t.Series, func(of Series) Number { return of.Score.Mean })
		})
	}
	return out
}

// palette gives each encoding its colour in both themes: --e0, --e1, …
func (s *Study) palette() string {
	var light, dark, classes strings.Builder
	for i, e := range s.Encodings {
		fmt.Fprintf(&light, "--e%d:%s;", i, e.Light)
		fmt.Fprintf(&dark, "--e%d:%s;", i, e.Dark)
		fmt.Fprintf(&classes, ".e%d{color:var(--e%d)}\n", i, i)
	}
	return fmt.Sprintf(":root{%s}\n:root[data-theme=dark]{%s}\n@media (prefers-color-scheme:dark){:root:not([data-theme=light]){%s}}\n%s",
		&light, &dark, &dark, &classes)
}

// mark is an encoding's shape in its colour.
func (s *Study) mark(encoding int) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="mark e%d" viewBox="-1.4 -1.4 2.8 2.8" aria-hidden="true"><path d="%s" fill="currentColor"/></svg>`,
		encoding, s.Encodings[encoding].Path))
}

// thousands sets commas: "40,000".
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
