package models_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
)

// One way to write a window, whichever it was given in: one hash of a configuration.
func TestWindowsResolve(t *testing.T) {
	for text, want := range map[models.Windows]models.Windows{
		"": "", "0": "", "0*4": "", "8": "8", "8*4": "8", "8/8/8/0": "8*3/0", "8*1/0": "8/0", "8/16/8/16": "8/16",
	} {
		cfg := micro("nope", "modern")
		cfg.NLayers, cfg.Window = 4, text
		if got := newDecoder(t, cfg).Config().Window; got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[models.Windows]string{
		"1": "window: window 1: want 2 to 65536 tokens, or 0 for none", "-8": "window -8", "99999": "window 99999",
		"8/none": `"none": want tokens, by layer as in 8*3/0`, "8//0": "an empty part",
		"8/08": `"08": want tokens`, "8*0/0": "*0: want a number of layers",
		"8*4/0": "pattern 8*4/0 is 5 layers long, and the model has n_layers 4",
	} {
		cfg := micro("nope", "modern")
		cfg.NLayers, cfg.Window = 4, text
		if _, err := models.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func TestWindowsJSON(t *testing.T) {
	for text, want := range map[string]models.Windows{`8`: "8", `"8"`: "8", `"8*3/0"`: "8*3/0", `""`: ""} {
		var c models.Config
		if err := json.Unmarshal([]byte(`{"window":`+text+`}`), &c); err != nil || c.Window != want {
			t.Errorf("%s is %q, %v; want %q", text, c.Window, err, want)
		}
	}
	var c models.Config
	if err := json.Unmarshal([]byte(`{"window":[8]}`), &c); err == nil {
		t.Errorf("a list is %q", c.Window)
	}
}

// Of a window of 3 a query sees itself and the two tokens before it: a third each, where
// all queries are 0. Columns begin with the two slots that a layer keeps.
func TestWindowWeights(t *testing.T) {
	cfg := micro("nope", "modern")
	cfg.NLayers, cfg.Window = 1, "3"
	m := newDecoder(t, cfg)
	for _, mode := range []models.Mode{{Attentions: true}, {Attentions: true, Growing: true}} {
		r := newRunner(t, m, mode, 1)
		r.weights["layers.0.attn.q_proj.weight"] = tensor.New(tensor.Float32, 16, 16)
		out, err := r.prog.Run(t.Context(), r.feed(tokens(5, 1)), r.weights)
		if err != nil {
			t.Fatal(err)
		}
		third := 1. / 3
		want := [][]float64{ // by query and key
			{1, 0, 0, 0, 0}, {.5, .5, 0, 0, 0}, {third, third, third, 0, 0}, {0, third, third, third, 0},
			{0, 0, third, third, third},
		}
		weights := out["attentions.0"]
		columns := weights.Shape()[3]
		empty := columns - 5
		if empty != 2 {
			t.Fatalf("%s: shape %v, want 2 columns before the tokens", modeName(mode), weights.Shape())
		}
		for i, row := range want {
			got := tensor.Data[float64](weights)[i*columns:][:columns]
			same(t, fmt.Sprintf("%s, query %d", modeName(mode), i), got[empty:], row)
			same(t, fmt.Sprintf("%s, query %d, empty columns", modeName(mode), i), got[:empty], make([]float64, empty))
		}
	}
}

// An encoding's window and the configuration's: the shorter one counts.
func TestShorterWindow(t *testing.T) {
	for _, tc := range []struct {
		window models.Windows
		want   string // of the state
	}{{"", "15"}, {"8", "7"}, {"32", "15"}} {
		cfg := micro("swa", "modern")
		cfg.Window = tc.window
		_, states, err := newDecoder(t, cfg).Graph(models.Mode{})
		if err != nil || states[0].Shape[2] != tc.want {
			t.Errorf("window %q: the state is %v, %v; want %s slots", tc.window, states[0].Shape, err, tc.want)
		}
	}
}
