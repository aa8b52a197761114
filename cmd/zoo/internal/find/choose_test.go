package find

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/train/runfile"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// One task stands for all: the runs', or of the catalogue where there are none;
// among several the headline's, else the first that "zoo list tasks" has.
func TestChooseTask(t *testing.T) {
	in := func(encoding, task string) catalogue.Manifest {
		return catalogue.Manifest{Card: card.Card{Encoding: encoding, Task: task}}
	}
	of := func(encoding, task string) Run { return Run{Info: runfile.Info{Encoding: encoding, Task: task}} }
	manifests := []catalogue.Manifest{in("rope", "addition"), in("rope", catalogue.Headline), in("nope", "copy"),
		in("nope", "parity"), in("cwrnn", "parity")}
	for _, tc := range []struct {
		name      string
		f         Finder
		encodings []string
		want      string
		others    string
	}{
		{"the catalogue's headline", Finder{catalogue: manifests}, nil, catalogue.Headline, "copy, addition, parity"},
		{"of one encoding", Finder{catalogue: manifests}, []string{"nope"}, "copy", "parity"},
		{"no choice", Finder{catalogue: manifests}, []string{"cwrnn"}, "parity", ""},
		{"runs come first", Finder{catalogue: manifests, runs: []Run{of("rope", "sorting"), of("nope", "reverse")}},
			nil, "reverse", "sorting"},
		{"runs with the headline, options and mixtures",
			Finder{runs: []Run{of("rope", "addition+full,"+catalogue.Headline+"+noprefix")}}, nil, catalogue.Headline, "addition"},
		{"runs of one task", Finder{catalogue: manifests, runs: []Run{of("rope", "copy+noprefix"), of("nope", "copy")}},
			nil, "copy", ""},
		{"runs of no task", Finder{runs: []Run{of("rope", "")}}, nil, "", ""},
		{"runs of other encodings", Finder{catalogue: manifests, runs: []Run{of("alibi", "lego")}}, []string{"nope"},
			"copy", "parity"},
	} {
		got, others := tc.f.ChooseTask(tc.encodings)
		if got != tc.want || strings.Join(others, ", ") != tc.others {
			t.Errorf("%s: %q and %q, want %q and %q", tc.name, got, others, tc.want, tc.others)
		}
	}
}
