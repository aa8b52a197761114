package models_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// namesRow is a row of the table in NAMES.md.
type namesRow struct{ name, shape, model string }

func namesTable(t *testing.T) (rows []namesRow) {
	t.Helper()
	text, err := os.ReadFile("NAMES.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			t.Fatalf("NAMES.md: %q has %d cells, want 4", line, len(cells)-2)
		}
		rows = append(rows, namesRow{
			name: strings.Trim(cells[1], " `"), shape: strings.TrimSpace(cells[2]), model: strings.TrimSpace(cells[3]),
		})
	}
	return rows
}

// dims evaluates a shape such as "k × n−m·k".
func (r namesRow) dims(t *testing.T, sizes map[string]int) (shape []int) {
	t.Helper()
	product := func(text string) int {
		v := 1
		for _, symbol := range strings.Split(text, "·") {
			size, ok := sizes[symbol]
			if !ok {
				t.Fatalf("NAMES.md: %s: unknown size %q in %q", r.name, symbol, r.shape)
			}
			v *= size
		}
		return v
	}
	for _, axis := range strings.Split(r.shape, " × ") {
		first, less, minus := strings.Cut(axis, "−")
		v := product(first)
		if minus {
			v -= product(less)
		}
		shape = append(shape, v)
	}
	return shape
}

// TestNames holds NAMES.md true: for each encoding and architecture it lists
// exactly the weights that the model declares. All sizes differ.
func TestNames(t *testing.T) {
	const units, modules = 12, 3
	sizes := map[string]int{
		"V": 11, "D": 18, "L": 2, "H": 6, "K": 8, "F": 25, "P": 13, "B": 10, "M": 7, "n": units, "k": units / modules,
		"1": 1, "2": 2, "3": 3, "4": 4, "W": 32, "C": 4, "K/2": 4, "R": 16,
	}
	settings := map[string]string{
		"learned": `{"max_length":13}`, "t5": `{"buckets":10}`, "cope": `{"max_positions":13}`, "dape": `{"width":7}`,
		"abacus": `{"rows":13}`, "sinusoidal": `{"learned":true}`,
	}
	rows := namesTable(t)
	used := map[string]bool{"decoder": true}
	// check compares a model with the rows of some kinds.
	check := func(name string, change func(*models.Config), kinds ...string) {
		c := models.Config{Encoding: name, EncodingParams: json.RawMessage(settings[name]),
			DModel: sizes["D"], NLayers: sizes["L"], NHeads: sizes["H"], DHead: sizes["K"], DFF: sizes["F"],
			VocabSize: sizes["V"]}
		change(&c)
		t.Run(kinds[0], func(t *testing.T) {
			m, err := models.New(c)
			if err != nil {
				t.Fatal(err)
			}
			declared, listed := map[string][]int{}, map[string][]int{}
			for _, p := range m.Params() {
				declared[p.Name] = p.Shape
			}
			for _, r := range rows {
				if slices.Contains(kinds, r.model) {
					r.expand(t, sizes, modules, listed)
				}
			}
			if diff := cmp.Diff(declared, listed); diff != "" {
				t.Errorf("NAMES.md against the model (-declared +listed):\n%s", diff)
			}
		})
		for _, kind := range kinds {
			used[kind] = true
		}
	}
	for _, name := range models.Encodings() {
		if name == "deltanet" { // its layers are the decoder's, except the mixer of tokens
			check(name, func(*models.Config) {}, name, "decoder", "deltanet, decay learned", "deltanet, gate silu")
			check(name, func(c *models.Config) { c.Decay, c.Gate = "channel", "sigmoid" },
				"deltanet, decay channel", "deltanet, gate sigmoid", name, "decoder")
		} else if _, err := pe.Find(name); err == nil {
			check(name, func(*models.Config) {}, name, "decoder")
		} else {
			check(name, func(c *models.Config) { c.NUnits, c.NModules = units, modules }, name)
		}
	}
	for setting, change := range map[string]func(*models.Config){
		"attention differential": func(c *models.Config) { c.Attention = "differential" },
		"qk_norm rms":            func(c *models.Config) { c.QKNorm = "rms" },
		"attention_sink learned": func(c *models.Config) { c.AttentionSink = "learned" },
		"attention_gate head":    func(c *models.Config) { c.AttentionGate = "head" },
		"attention_gate element": func(c *models.Config) { c.AttentionGate = "element" },
		"norm layer":             func(c *models.Config) { c.Norm = "layer" },
		"bias linear":            func(c *models.Config) { c.Bias = "linear" },
		"ablation mean:0.1,1.0":  func(c *models.Config) { c.Ablation = "mean:0.1,1.0" },
		"logit_scale adaptive":   func(c *models.Config) { c.LogitScale = "adaptive" },
		"logit_scale ssmax":      func(c *models.Config) { c.LogitScale, c.TrainedLength = "ssmax", 40 },
	} {
		check("nope", change, "decoder, "+setting, "decoder")
	}
	for _, r := range rows {
		if !used[r.model] {
			t.Errorf("NAMES.md: %s belongs to %q, which is no model", r.name, r.model)
		}
	}
}

// expand lists what a row stands for: one tensor, or one for each layer or module.
func (r namesRow) expand(t *testing.T, sizes map[string]int, modules int, into map[string][]int) {
	count := 1
	switch {
	case strings.HasPrefix(r.name, "layers.i."):
		count = sizes["L"]
	case strings.HasPrefix(r.name, "modules.m."):
		count = modules
	}
	for i := range count {
		sizes["m"] = i
		number := "." + strconv.Itoa(i) + "."
		name := strings.NewReplacer("layers.i.", "layers"+number, "modules.m.", "modules"+number).Replace(r.name)
		if _, twice := into[name]; twice {
			t.Errorf("NAMES.md lists %s twice", name)
		}
		into[name] = r.dims(t, sizes)
	}
}
