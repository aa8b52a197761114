package report_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/models"
)

// The rows of the README's command say in few lines who goes furthest, in wide terminals and in narrow ones.
func TestBrief(t *testing.T) {
	results, err := report.Read("testdata/headline.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{80, 60} {
		var b bytes.Buffer
		p := report.Printer{Out: &b, Format: "table", Width: width, Brief: true, Options: summary.Options{Encodings: models.Encodings()}}
		if err := p.Task(results.Rows); err != nil {
			t.Fatal(err)
		}
		if err := p.Rest(results.Rows); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n > 44 { // zoo bench adds the name of the file
			t.Errorf("%d lines at %d columns", n, width)
		}
		for line := range strings.Lines(b.String()) {
			if utf8.RuneCountInString(line) > width+1 {
				t.Errorf("more than %d columns: %s", width, line)
			}
		}
		path := fmt.Sprintf("testdata/brief%d.golden", width)
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}
