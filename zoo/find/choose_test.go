package find

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo"
)

// One task stands for all: that of the runs, or of the catalogue where there are none;
// among several the headline's, else the first that "zoo list tasks" has.
func TestChooseTask(t *testing.T) {
	in := func(encoding, task string) zoo.Manifest {
		return zoo.Manifest{Card: card.Card{Encoding: encoding, Task: task}}
	}
	of := func(encoding, task string) Run { return Run{RunInfo: train.RunInfo{Encoding: encoding, Task: task}} }
	catalogue := []zoo.Manifest{in("rope", "addition"), in("rope", zoo.Headline), in("nope", "copy"),
		in("nope", "parity"), in("cwrnn", "parity")}
	for _, tc := range []struct {
		name      string
		f         Finder
		encodings []string
		want      string
		others    string
	}{
		{"the catalogue's headline", Finder{catalogue: catalogue}, nil, zoo.Headline, "copy, addition, parity"},
		{"of one encoding", Finder{catalogue: catalogue}, []string{"nope"}, "copy", "parity"},
		{"no choice", Finder{catalogue: catalogue}, []string{"cwrnn"}, "parity", ""},
		{"runs come first", Finder{catalogue: catalogue, runs: []Run{of("rope", "sorting"), of("nope", "reverse")}},
			nil, "reverse", "sorting"},
		{"runs with the headline, options and mixtures",
			Finder{runs: []Run{of("rope", "addition+full,"+zoo.Headline+"+noprefix")}}, nil, zoo.Headline, "addition"},
		{"runs of one task", Finder{catalogue: catalogue, runs: []Run{of("rope", "copy+noprefix"), of("nope", "copy")}},
			nil, "copy", ""},
		{"runs of no task", Finder{runs: []Run{of("rope", "")}}, nil, "", ""},
		{"runs of other encodings", Finder{catalogue: catalogue, runs: []Run{of("alibi", "lego")}}, []string{"nope"},
			"copy", "parity"},
	} {
		got, others := tc.f.ChooseTask(tc.encodings)
		if got != tc.want || strings.Join(others, ", ") != tc.others {
			t.Errorf("%s: %q and %q, want %q and %q", tc.name, got, others, tc.want, tc.others)
		}
	}
}
