package sweep

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/configs"
)

// inParts has a part that replaces lists and changes sections, and one that adds to all.
const inParts = `
preset: tiny
tasks: [copy]
encodings: [nope, rope]
seeds: [1, 2]
model: {d_model: 16, n_layers: 1, n_heads: 2}
train: {lengths: 1..3, steps: 4}
bench: {lengths: "2..4", n: 10, changed: [{rope: "ntk:4", scale: log-n}, {window: 8}]}
parts:
  - name: short
    seeds: [3]
    train: {steps: 2}
    bench: {lengths: 51-100, batch: 8, changed: []}
  - encodings: [rope]
    grid: {train.lr: [1e-3, 2e-3]}
`

// A part has what stands above it: sections merged key by key, lists replaced. Runs come
// part by part.
func TestParts(t *testing.T) {
	f, err := parse("p", []byte(inParts))
	if err != nil {
		t.Fatal(err)
	}
	runs, err := f.runs("", configs.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range runs {
		got = append(got, r.Name)
		steps, lr, want := 4, r.Config.Train.LR, bench{"2..4", 10, 0, []Change{{RoPE: "ntk:4", Scale: "log-n"}, {Window: "8"}}}
		if r.Part == "short" {
			steps, lr, want = 2, 2e-3, bench{"51-100", 10, 8, nil}
		}
		if r.Config.Train.Steps != steps || r.Config.Train.Lengths != "1..3" || r.Config.Model.DModel != 16 ||
			r.Config.Train.LR != lr || !cmp.Equal(r.Bench, want) {
			t.Errorf("%s: %+v, bench %+v", r.Name, r.Config, r.Bench)
		}
	}
	want := []string{
		"copy-nope-tiny-short-s3", "copy-rope-tiny-short-s3",
		"copy-rope-tiny-lr=0.001-s1", "copy-rope-tiny-lr=0.002-s1",
		"copy-rope-tiny-lr=0.001-s2", "copy-rope-tiny-lr=0.002-s2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs (-want +got)\n%s", diff)
	}
}

// What a part cannot have is refused, and it is said which part that is.
func TestPartsRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"parts: []", "parts is []: want a list of parts"},
		{"parts: {name: a}", "want a list of parts"},
		{"parts: [copy]", "part 1 is copy: want keys with values"},
		{"parts: [{seed: [1]}]", `part 1: unknown key "seed"; did you mean "seeds"?`},
		{"parts: [{name: a}, {name: b, parts: []}]", `part 2 (b): unknown key "parts"`},
		{"name: a", `unknown key "name"`},
		{"parts: [{name: a/b}]", "part 1: name is a/b: want letters, digits"},
		{"parts: [{name: 3}]", "part 1: name is 3: want letters"},
		{"parts: [{name: a, seeds: 3}]", "part 1 (a): seeds is 3: want a list of values"},
		{"seeds: [1, 2]\nparts: [{name: a, train: {seed: 3}}]",
			"part 1 (a): train.seed: seeds above the parts lists it too; give the part a list of its own: seeds: [3]"},
		{"grid: {train.lr: [1e-3]}\nparts: [{train: {lr: 0.5}}]",
			"part 1: train.lr: grid above the parts lists it too; give the part a list of its own: in grid, train.lr: [0.5]"},
		{"grid: {model.encoding_params.base: [10, 20]}\nparts: [{model: {encoding_params: {base: 5}}}]",
			"part 1: model.encoding_params.base: grid above the parts lists it too; "},
		{"bench: 3", "bench is 3: want a section"},
		{"bench: {length: 3}", `bench: unknown key "length"; did you mean "lengths"?`},
		{"bench: {n: 0}", "bench.n is 0: want a whole number of 1 or more"},
		{"bench: {batch: many}", "bench.batch is many: want a whole number of 1 or more"},
		{"bench: {changed: pi:2}", "bench.changed is pi:2: want a list of changes"},
		{"bench: {changed: [pi]}", "bench.changed: change 1 is pi: want flags of zoo bench"},
		{"bench: {changed: [{rop: pi:2}]}", `bench.changed: change 1: unknown key "rop"; did you mean "rope"?`},
		{"bench: {changed: [{rope: pi:2}, {rope: pi:2}]}", "bench.changed: change 2, map[rope:pi:2], is there twice"},
		{"bench: {lengths: [3]}", "bench.lengths is [3]: want text as zoo bench --lengths takes it"},
	} {
		if _, err := parse("p", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.want)
		}
	}
	same, err := parse("p", []byte("seeds: [1]\nparts: [{}, {train: {steps: 3}}]"))
	if err != nil {
		t.Fatal(err)
	}
	want := "sweep p: train.seed=1 and train.seed=1 are the same run copy-nope-tiny-s1; give parts with the same runs different names"
	if _, err := same.runs("", configs.Sources{}); err == nil || err.Error() != want {
		t.Errorf("runs of the same name: %v, want %s", err, want)
	}
}

// Runs have the pair of their seeds in their names, and one number where both are one.
func TestDataSeeds(t *testing.T) {
	f, err := parse("p", []byte("seeds: [1, 2]\ndata_seeds: [2, 3]"))
	if err != nil {
		t.Fatal(err)
	}
	runs, err := f.runs("", configs.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range runs {
		names = append(names, strings.TrimPrefix(r.Name, "copy-nope-tiny-"))
	}
	if want := []string{"s1d2", "s1d3", "s2", "s2d3"}; !slices.Equal(names, want) {
		t.Errorf("runs %v, want %v", names, want)
	}
}

// The sweep of a study has the name of the study's folder, wherever one stands.
func TestStudyName(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mine")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, StudyFile), []byte("seeds: [1]"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	for _, path := range []string{StudyFile, filepath.Join(folder, StudyFile)} {
		if f, err := read(path); err != nil || f.name != "mine" {
			t.Errorf("%s: %+v, %v", path, f, err)
		}
	}
}
