package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
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
	PublishedSteps   int
	Contests, Single bool // whether anything is ranked; whether there is but one task
}

// WriteHTML writes the study as one HTML file that needs nothing else: no other
// file, no network. The same study gives the same bytes.
func (s *Study) WriteHTML(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{"add": func(a, b int) int { return a + b }}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("report: page: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, page{
		Study: s, Style: template.CSS(pageStyle + s.palette()), Library: template.JS(chartLibrary), Script: template.JS(pageScript),
		Parameters: millions(PublishedParameters), PublishedSource: PublishedSource, PublishedSteps: PublishedSteps,
		Contests: len(s.Ranks) > 0, Single: len(s.Tasks) == 1,
	}); err != nil {
		return fmt.Errorf("report: page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
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
