package hf

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/models"
)

// Each family has a checkpoint, and a place in the table of docs/pretrained.md, which has no others.
func TestFamilies(t *testing.T) {
	page, err := os.ReadFile("../../docs/pretrained.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| model_type |")
	table, _, _ = strings.Cut(table, "\n\n")
	var told []string
	for line := range strings.Lines(table) {
		if row := strings.SplitN(line, "|", 3); len(row) == 3 {
			for _, name := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(row[1], -1) {
				told = append(told, name[1])
			}
		}
	}
	folders, err := filepath.Glob("testdata/pretrained/*")
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	for _, dir := range folders {
		m, err := Describe(dir)
		if err != nil {
			t.Fatal(err)
		}
		tested[m.Card.Pretrained.Family] = true
	}
	var names []string
	for _, f := range families() {
		if names = append(names, f.name); !tested[f.name] {
			t.Errorf("%s has no checkpoint in testdata", f.name)
		}
	}
	slices.Sort(names)
	if slices.Sort(told); !slices.Equal(names, told) {
		t.Errorf("docs/pretrained.md has the families %v, and there are %v", told, names)
	}
}

// A pretrained model is changed by each intervention, or the error names what keeps it from that.
func TestInterventionsOnPretrained(t *testing.T) {
	scaled := map[string]string{"llama-linear": "pi", "llama-dynamic": "dynamic", "llama-llama3": "llama3", "llama-yarn": "yarn",
		"phi3-longrope": "longrope", "gemma3_text": "pi"}
	folders, err := filepath.Glob("testdata/pretrained/*")
	if err != nil || len(folders) == 0 {
		t.Fatal("no checkpoints", err)
	}
	for _, dir := range folders {
		name := filepath.Base(dir)
		m, err := Describe(dir)
		if err != nil {
			t.Fatal(err)
		}
		rotates := strings.Contains(m.Config.Encoding, "rope")
		for _, change := range []struct{ rope, window, scale string }{{rope: "pi:2"}, {rope: "ntk:2"}, {rope: "dynamic:2"}, {rope: "yarn:2"},
			{rope: "yarn-paper:2"}, {rope: "none"}, {window: "4"}, {scale: "log-n"}} {
			var scales []string
			if change.scale != "" {
				scales = append(scales, change.scale)
			}
			i, err := models.ParseIntervention(change.rope, change.window, scales...)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			switch {
			case change.rope == "none" && !rotates:
				want = "no rotation to leave out"
			case change.scale != "" && m.Card.Pretrained.DeclaredLength == 0:
				want = "declares none"
			case change.rope == "":
			case !rotates:
				want = "has no frequencies to scale"
			case change.rope != "none" && scaled[name] != "":
				want = "have the scaling " + scaled[name] + " already"
			case strings.HasPrefix(name, "stablelm") && (change.rope == "ntk:2" || change.rope == "dynamic:2"):
				want = "needs two pairs at least" // a quarter of 8 features is one
			}
			cfg, err := i.Apply(m.Config, m.TrainedTokens)
			if want != "" {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, %v: error %v, want one about %q", name, i, err, want)
				}
				continue
			}
			var made models.Model
			if err == nil {
				made, err = models.New(cfg)
			}
			if err == nil {
				_, _, err = made.Graph(models.Mode{})
			}
			if err != nil {
				t.Errorf("%s, %v: %v", name, i, err)
			}
		}
	}
}
