package models_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// paper is the model of Kazemnejad et al. 2023 at its size, vocabulary included.
func paper(encoding string) models.Config {
	return models.Config{
		Settings: "faithful", Encoding: encoding, DModel: 768, NLayers: 12, NHeads: 12, DFF: 3072, VocabSize: 32100,
	}
}

// 24,652,800 for the tied embedding, 28,311,552 attention, 56,623,104
// feed-forward, 19,200 gains; and what the encoding adds.
func TestPaperParameterCount(t *testing.T) {
	const shared = 24_652_800 + 28_311_552 + 56_623_104 + 19_200
	if shared != 109_606_656 {
		t.Fatal("the parts do not add up")
	}
	adds := map[string]int{ // what is not here adds nothing
		"t5":             32 * 12,
		"alibi-learned":  12,
		"learned":        2048 * 768,
		"txl":            12 * (768*768 + 2*768),
		"kerple":         2 * 12,
		"fire":           1 + 1 + 32 + 32 + 12*32,
		"pope":           12 * 12 * 64,
		"selective-rope": 12 * (16*768 + 12*32*16 + 4*12*32 + 12*768 + 12),
		"fox":            12 * (12*768 + 12),
		"cope":           12 * 32 * 64,
		"dape":           12 * (32*12 + 32*12 + 32 + 12*32),
		"abacus":         512 * 768,
	}
	for _, row := range pe.Table() {
		m := newDecoder(t, paper(row.Name))
		if got, want := models.Count(m.Params())-shared, adds[row.Name]; got != want {
			t.Errorf("%s adds %d parameters, want %d: count them by hand, and give it a row in this test", row.Name, got, want)
		}
	}
}

// A resolved configuration resolves to itself, as that of a run which goes on must.
func TestPaperResolvesOnce(t *testing.T) {
	for _, row := range pe.Table() {
		once, err := paper(row.Name).Resolve()
		if err != nil {
			t.Fatal(err)
		}
		twice, err := once.Resolve()
		if err != nil || string(twice.EncodingParams) != string(once.EncodingParams) {
			t.Errorf("%s: settings %s become %s, %v", row.Name, once.EncodingParams, twice.EncodingParams, err)
		}
	}
}

// The standard deviations that T5's rules give at this size, as the paper's
// model is initialised.
func TestPaperInitialisation(t *testing.T) {
	want := map[string]float64{
		"embed.weight": 1, "q_proj.weight": 0.00451, "k_proj.weight": 0.0361,
		"v_proj.weight": 0.0361, "o_proj.weight": 0.0361,
		"up_proj.weight": 0.0361, "down_proj.weight": 0.0180, "relative_bias.weight": 0.0361, "position.weight": 1,
		"r_proj.weight": 0.0361, "content_bias": 0.2, "position_bias": 0.2,
	}
	seen := map[string]bool{}
	for _, encoding := range []string{"t5", "learned", "txl"} {
		for _, p := range newDecoder(t, paper(encoding)).Params() {
			if strings.HasSuffix(p.Name, "norm.weight") {
				if p.Mean != 1 || p.Std != 0 || !p.Decay {
					t.Errorf("%s starts at %v ± %v, decays: %v; want a constant 1 that decays",
						p.Name, p.Mean, p.Std, p.Decay)
				}
				continue
			}
			found := false
			for suffix, std := range want {
				if p.Name == suffix || strings.HasSuffix(p.Name, "."+suffix) {
					found, seen[suffix] = true, true
					if p.Mean != 0 || math.Abs(p.Std-std) > 0.003*std {
						t.Errorf("%s starts at %v ± %.5f, want 0 ± %v", p.Name, p.Mean, p.Std, std)
					}
				}
			}
			if !found {
				t.Errorf("%s has no stated initialisation", p.Name)
			}
		}
	}
	if len(seen) != len(want) {
		t.Errorf("of %d kinds of weight only %d exist", len(want), len(seen))
	}
}

// The paper's library spares only what has "bias" in its name in the paper's code:
// the bias table of T5, u and v of Transformer-XL. All else decays: the gains, the
// tables of positions and the learned slopes too.
func TestPaperDecay(t *testing.T) {
	spared := map[string]int{"t5": 1, "txl": 2 * 12}
	for _, name := range []string{"nope", "rope", "alibi", "sinusoidal", "learned", "t5", "txl", "alibi-learned"} {
		n := 0
		for _, p := range newDecoder(t, paper(name)).Params() {
			bias := strings.Contains(p.Name, "bias") || strings.Contains(p.Name, "relative")
			if p.Decay == bias {
				t.Errorf("%s: %s decays: %v", name, p.Name, p.Decay)
			}
			if !p.Decay {
				n++
			}
		}
		if n != spared[name] {
			t.Errorf("%s: %d weights are spared, want %d", name, n, spared[name])
		}
	}
	if p := newDecoder(t, micro("alibi-learned", "modern")).Params()[1]; p.Name != "log_slope" || p.Decay {
		t.Errorf("modern: %s decays: %v; want slopes that do not", p.Name, p.Decay)
	}
}

// The weights really have them: mean and deviation of one draw, within five
// standard errors.
func TestDrawnWeights(t *testing.T) {
	m := newDecoder(t, models.Config{
		Settings: "faithful", Encoding: "t5", DModel: 64, NLayers: 1, NHeads: 4, DFF: 128, VocabSize: 100,
	})
	w := models.InitWeights(m.Params(), 1)
	for _, p := range m.Params() {
		var sum, squares float64
		data := tensor.Data[float32](w[p.Name])
		for _, v := range data {
			sum += float64(v)
			squares += (float64(v) - p.Mean) * (float64(v) - p.Mean)
		}
		n := float64(len(data))
		if d := math.Abs(sum/n - p.Mean); d > 5*p.Std/math.Sqrt(n)+1e-7 {
			t.Errorf("%s: mean off by %v", p.Name, d)
		}
		if d := math.Abs(math.Sqrt(squares/n) - p.Std); d > 5*p.Std/math.Sqrt(2*n)+1e-7 {
			t.Errorf("%s: deviation off by %v", p.Name, d)
		}
	}
	slopes := models.InitWeights(newDecoder(t, micro("alibi-learned", "modern")).Params(), 1)["log_slope"]
	if got := tensor.Data[float32](slopes); got[0] != float32(-4*math.Ln2) || got[1] != float32(-8*math.Ln2) {
		t.Errorf("slopes start at e^%v, want 1/16 and 1/256", got)
	}
}

// Of several encodings each has the paper's settings, and those that are given replace them.
func TestFaithfulHybrid(t *testing.T) {
	cfg := micro("rope/learned", "faithful")
	cfg.EncodingParams = json.RawMessage(`{"learned":{"max_length":9}}`)
	got := string(newDecoder(t, cfg).Config().EncodingParams)
	want := `{"learned":{"init_std":1,"max_length":9},"rope":{"fraction":0.25,"layout":"interleaved"}}`
	if got != want {
		t.Errorf("settings %s, want %s", got, want)
	}
}

// Settings that are given replace the paper's one by one.
func TestFaithfulSettings(t *testing.T) {
	cfg := micro("learned", "faithful")
	cfg.EncodingParams = json.RawMessage(`{"max_length":9}`)
	m := newDecoder(t, cfg)
	if p := m.Params()[1]; p.Shape[0] != 9 || p.Std != 1 || m.MaxLength() != 9 {
		t.Errorf("table %+v, want 9 rows of deviation 1", p)
	}
	again, err := m.Config().Resolve()
	if err != nil || string(again.EncodingParams) != string(m.Config().EncodingParams) {
		t.Errorf("resolving twice gives %s (%v)", again.EncodingParams, err)
	}
	cfg.EncodingParams = json.RawMessage(`[]`)
	if _, err := models.New(cfg); err == nil || !strings.Contains(err.Error(), "encoding_params") {
		t.Errorf("a list as settings gives %v", err)
	}
}
