package pe_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/models/pe"
)

func paramNames(e pe.Encoding) (names []string) {
	for _, p := range e.Params() {
		names = append(names, p.Name)
	}
	return names
}

// Weights of a layer are there where the layer has the encoding, weights of all layers once.
func TestHybridParams(t *testing.T) {
	d := pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: 4}
	got := paramNames(newEncoding(t, "t5*2/txl", "", d))
	want := []string{"relative_bias.weight", "layers.2.attn.r_proj.weight", "layers.2.attn.content_bias",
		"layers.2.attn.position_bias"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A hybrid is as long as the shortest maximum of its encodings.
func TestHybridMaxLength(t *testing.T) {
	d := pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: 2}
	for name, want := range map[string]int{"rope/nope": 0, "rope/learned": 512} {
		if got := newEncoding(t, name, "", d).(pe.Bounded).MaxLength(); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if got := newEncoding(t, "learned/nope", `{"learned":{"max_length":7}}`, d).(pe.Bounded).MaxLength(); got != 7 {
		t.Errorf("max_length 7 gives %d", got)
	}
}

// lastPlain is NoPE in the last layer, and chooses so in a hybrid too.
type lastPlain struct{ pe.NoPE }

func init() {
	pe.Register(pe.Row{Name: "last-plain", Formula: "q·k", Source: "a test", Cost: "nothing",
		Make: pe.With(func(pe.Dims, struct{}) (pe.Encoding, error) { return lastPlain{}, nil })})
}

func (lastPlain) At(layer, layers int) pe.Encoding {
	if layer == layers-1 {
		return pe.NoPE{}
	}
	row, _ := pe.Find("rope")
	e, _ := row.Make.New(pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: layers}, nil)
	return e
}

func TestHybridAt(t *testing.T) {
	e := newEncoding(t, "alibi/last-plain*2", "", pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: 3}).(pe.LayerChooser)
	for layer, want := range []string{"pe.alibi", "pe.rope", "pe.NoPE"} {
		if got := fmt.Sprintf("%T", e.At(layer, 3)); got != want {
			t.Errorf("layer %d has %s, want %s", layer, got, want)
		}
	}
}

func TestHybridErrors(t *testing.T) {
	for _, tc := range []struct{ name, settings, want string }{
		{"rope*3/nope", "", "rope*3/nope is 4 layers long, and the model has n_layers 2"},
		{"rope/nope", `{"theta":5}`, `settings of "theta": its encodings are rope, nope`},
		{"rope/nope", `{"rope":{"theta":0.5}}`, "encoding rope/nope: encoding rope: theta 0.5"},
		{"rope/nope", `{"rope":{"thet":5}}`, `unknown key "thet"; did you mean "theta"?`},
		{"rope/nope", `{"rope":5}`, "encoding rope: settings 5"},
		{"rope/nope", `[1]`, "those of each encoding under its name"},
		{"rope/nop", "", `encoding rope/nop: unknown encoding "nop"; did you mean "nope"?`},
		{"rotary/nope", "", "here it is called rope"},
		{"rope+", "", "has an empty part"},
		{"rope/0nope", "", "*0: want a number of layers"},
	} {
		r, err := pe.Find(tc.name)
		if err == nil {
			_, err = r.Make.New(pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: 2}, json.RawMessage(tc.settings))
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %s: error %v, want %q", tc.name, tc.settings, err, tc.want)
		}
	}
}

// The paper's settings stand under the name of each encoding that has some.
func TestHybridPaper(t *testing.T) {
	r, err := pe.Find("rope/nope")
	if want := `{"rope":{"fraction":0.25,"layout":"interleaved"}}`; err != nil || string(r.Paper) != want {
		t.Errorf("%s, %v; want %s", r.Paper, err, want)
	}
	if r, err := pe.Find("alibi/nope"); err != nil || r.Paper != nil {
		t.Errorf("%s, %v; want none", r.Paper, err)
	}
}

// What follows from the longest sequence stands under the name of the encoding, too.
func TestHybridFit(t *testing.T) {
	r, err := pe.Find("fire/rope")
	if err != nil {
		t.Fatal(err)
	}
	for settings, want := range map[string]string{
		"": `{"fire":{"threshold":20}}`, `{"rope":{"theta":5}}`: `{"fire":{"threshold":20},"rope":{"theta":5}}`,
		`{"fire":{"threshold":3}}`: `{"fire":{"threshold":3}}`,
	} {
		if got, err := r.Fit(json.RawMessage(settings), pe.Data{Longest: 40}); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", settings, got, err, want)
		}
	}
	_, err = r.Fit(json.RawMessage(`{"fire":{"treshold":3}}`), pe.Data{Longest: 40})
	if err == nil || !strings.Contains(err.Error(), `settings of "fire"`) {
		t.Errorf("a wrong key: %v", err)
	}
	if r, err := pe.Find("alibi/rope"); err != nil || r.Fit != nil {
		t.Errorf("encodings without such settings are fitted, %v", err)
	}
}
