package pe_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/models/pe"
)

func TestPattern(t *testing.T) {
	for text, want := range map[string]struct {
		short string
		four  []string // the first four layers
	}{
		"a":           {"a", []string{"a", "a", "a", "a"}},
		"a*3/b":       {"a*3/b", []string{"a", "a", "a", "b"}},
		"a/a/a/b":     {"a*3/b", []string{"a", "a", "a", "b"}},
		"a*1/b":       {"a/b", []string{"a", "b", "a", "b"}},
		"a/b/a/b":     {"a/b", []string{"a", "b", "a", "b"}},
		"a/b*2/a/b*2": {"a/b*2", []string{"a", "b", "b", "a"}},
		"a/b/a":       {"a/b/a", []string{"a", "b", "a", "a"}},
		"a*4/a":       {"a", []string{"a", "a", "a", "a"}},
	} {
		p, err := pe.ParsePattern(text, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for layer := range 4 {
			got = append(got, p.At(layer))
		}
		if p.String() != want.short || !slices.Equal(got, want.four) {
			t.Errorf("%s is %v with layers %q, want %v with %q", text, p, got, want.short, want.four)
		}
	}
	for text, want := range map[string]string{
		"": "empty part", "a//b": "empty part", "/a": "empty part", "*3": "empty part", "a*0": "*0: want a number",
		"a*": "*: want a number", "a*-1": "*-1: want", "a*2*2": "*2*2: want", "a*2000": "from 1 to 1024", "a*b/c": "*b: want",
	} {
		if _, err := pe.ParsePattern(text, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// A pattern may end in the middle, but not before each of its elements had a layer.
func TestPatternLayers(t *testing.T) {
	const text = "rope*3/nope"
	for layers, ok := range map[int]bool{3: false, 4: true, 5: true} {
		if _, err := pe.ParsePattern(text, layers); (err == nil) != ok {
			t.Errorf("%d layers: %v", layers, err)
		}
	}
	if _, err := pe.ParsePattern(text, 3); err == nil || !strings.Contains(err.Error(), "rope*3/nope is 4 layers long") {
		t.Errorf("%v", err)
	}
}
