package report

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"
)

// pageChart is a figure within the page, as SVG.
type pageChart struct {
	Name string
	SVG  template.HTML
}

func pageCharts(figures []figure) ([]pageChart, error) {
	var out []pageChart
	for _, f := range figures {
		var b bytes.Buffer
		if err := f.Write(&b, "svg"); err != nil {
			return nil, err
		}
		// within a page the element stands alone, without the namespaces that a file names
		_, element, _ := strings.Cut(b.String(), "<svg")
		element = svgNamespaces.ReplaceAllString(element, "")
		out = append(out, pageChart{f.Name, template.HTML("<svg" + element)})
	}
	return out, nil
}

// svgNamespaces are the attributes of an SVG file that a page does without.
var svgNamespaces = regexp.MustCompile(`\s+xmlns(:\w+)?="[^"]*"`)
