package report_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
)

// TestParts checks when a figure has a panel for each part of a sweep, and how series are called there.
func TestParts(t *testing.T) {
	rows := func(parts map[string][]string) (out []eval.Row) {
		for part, encodings := range parts {
			for _, encoding := range encodings {
				for seed := range 2 {
					for _, length := range []int{10, 30} {
						r := row(t, encoding, seed, length, 50)
						r.Model = fmt.Sprintf("copy-%s-tiny-%s-s%d", encoding, part, seed+1)
						r.ConfigHash = r.Model
						out = append(out, r)
					}
				}
			}
		}
		slices.SortFunc(out, func(a, b eval.Row) int { return strings.Compare(a.Model, b.Model) })
		return out
	}
	both := []string{"nope", "rope"}
	for _, tc := range []struct {
		name  string
		parts map[string][]string
		want  []string // texts
		not   []string
	}{
		{"two parts and a variant of one", map[string][]string{"modern": both, "gpt2": both, "modern-ssmax": both[:1]},
			[]string{"modern", "gpt2", "nope", "rope", "nope (ssmax)"}, []string{"modern-ssmax", "nope (modern)"}},
		{"a part of one encoding", map[string][]string{"modern": both, "wide": both[:1]},
			[]string{"nope (modern)", "nope (wide)", "rope"}, []string{"modern", "wide"}},
		{"one part", map[string][]string{"modern": both}, both, []string{"modern"}},
		{"a part and its variant", map[string][]string{"modern": both, "modern-wide": both},
			[]string{"nope (modern)", "nope (modern-wide)"}, []string{"modern"}},
		{"five parts", map[string][]string{"a": both, "b": both, "c": both, "d": both, "e": both}, []string{"nope (a)", "rope (e)"}, []string{"a"}},
	} {
		f := reportOf(t, rows(tc.parts)...).Figures()[0]
		var b bytes.Buffer
		if err := f.Write(&b, "svg"); err != nil {
			t.Fatal(err)
		}
		has := func(text string) bool { return strings.Contains(b.String(), ">"+text+"<") }
		for _, text := range tc.want {
			if !has(text) {
				t.Errorf("%s: no text %q", tc.name, text)
			}
		}
		for _, text := range tc.not {
			if has(text) {
				t.Errorf("%s: text %q", tc.name, text)
			}
		}
	}
}
