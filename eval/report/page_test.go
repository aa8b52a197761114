package report_test

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
)

func page(t *testing.T, opt report.Options, rows ...eval.Row) string {
	t.Helper()
	s, err := report.New(rows, opt)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.Write(&b, "html"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var dataScript = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// TestPageIsSelfContained checks that nothing is loaded from elsewhere. Addresses
// that are not loaded (namespaces, licences) stay within the chart library.
func TestPageIsSelfContained(t *testing.T) {
	rows := synthetic([]string{"copy", "addition"}, 2)
	made := page(t, report.Options{}, rows...)
	if made != page(t, report.Options{}, rows...) {
		t.Error("the same rows give other bytes")
	}
	if !strings.Contains(made, `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'`) {
		t.Error("the page does not forbid itself to load anything")
	}
	if m := regexp.MustCompile(`<(link|img|iframe|object|embed|base)\b|\bsrc=|@import|url\(`).FindString(withoutLibrary(made)); m != "" {
		t.Errorf("the page has %q", m)
	}
	if m := regexp.MustCompile(`https?://\S+`).FindString(withoutLibrary(made)); m != "" {
		t.Errorf("the page has the address %s", m)
	}
}

// withoutLibrary cuts out the chart library.
func withoutLibrary(page string) string {
	return regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAllString(page, "")
}

// TestPageEscapes puts what could break out of its place into every name.
func TestPageEscapes(t *testing.T) {
	const evil = `</script><script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	r := with(row(t, "nope", 0, 30, 5), func(r *eval.Row) {
		r.Encoding, r.Task, r.Machine, r.Model, r.Provider, r.ToolVersion, r.ModelSHA256 = evil, evil, evil, evil, evil,
			evil, evil
	})
	made := page(t, report.Options{Title: evil, Command: evil}, r)
	if strings.Contains(made, "<script>alert") || strings.Contains(made, "<img") {
		t.Error("a name breaks out")
	}
	var data struct {
		Title string
		Tasks []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(dataScript.FindStringSubmatch(made)[1]), &data); err != nil {
		t.Fatal(err)
	}
	if data.Title != evil || data.Tasks[0].Name != evil {
		t.Errorf("the data say %+v", data)
	}
}

// TestPageWithoutScript checks that the numbers are there for those who run none.
func TestPageWithoutScript(t *testing.T) {
	made := page(t, report.Options{Options: summary.Options{Encodings: encodings}, Command: "zoo report results/"}, row(t, "nope", 0, 10, 100),
		row(t, "nope", 0, 30, 37), row(t, "rope", 0, 30, 0))
	text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(withoutLibrary(made), " "))
	for _, want := range []string{
		"100.0 [96.3–100.0]*", "37.0", "0.687", "+19.7", "0.6 M parameters, not 109.6 M", "zoo report results/",
		"test machine, 2 cores, ONNX Runtime 1.29.0, provider cpu, a thread per core, zoo 0.1.0",
		"copy-nope-s1", "Charts and menus need JavaScript",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
