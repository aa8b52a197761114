package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/rowlog"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// blank is a model of copy whose weights are all 0, except the gains of norms.
func blank(t *testing.T, cfg models.Config) modelfile.Model {
	t.Helper()
	words, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	pieces := tasktest.Vocabulary(words)
	cfg.VocabSize = len(pieces)
	m, err := models.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	out := modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1),
		Card: card.Card{Task: "copy", Trained: card.Lengths{Min: 1, Max: 5}, Tokenizer: pieces, Seed: 7}}
	for name, w := range out.Weights {
		if !strings.Contains(name, "norm") && name != "log_slope" {
			clear(tensor.Data[float32](w))
		}
	}
	return out
}

// placed is a model with learned positions of which head 0 attends to the token before, and
// head 1 to position 3.
func placed(t *testing.T) modelfile.Model {
	m := blank(t, models.Config{Encoding: "learned", EncodingParams: json.RawMessage(`{"max_length":32}`),
		DModel: 32, NLayers: 1, NHeads: 2, DHead: 32, DFF: 4})
	set := func(name string, row, column int, v float32) {
		w := m.Weights[name]
		tensor.Data[float32](w)[row*w.Shape()[1]+column] = v
	}
	for p := range 32 {
		set("position.weight", p, p, 1)
		set("layers.0.attn.k_proj.weight", p, p, 50)
		set("layers.0.attn.k_proj.weight", 32+p, p, 50)
		if p > 0 {
			set("layers.0.attn.q_proj.weight", p-1, p, 1)
		}
		set("layers.0.attn.q_proj.weight", 32+3, p, 1)
	}
	return m
}

// opened prepares a model.
func opened(t *testing.T, m modelfile.Model) *Model {
	t.Helper()
	model, err := NewModel(m.Config.Encoding, m)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// ask is a request for 12 sequences of copy; probes are fitted at the same length.
func ask(t *testing.T, measure string, m *Model, length int, tokens string) request {
	t.Helper()
	words, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	r := request{measure: measure, model: m, task: words, length: length, samples: 12, seed: 1, tokens: tokens}
	if measure == eval.MeasureProbe || measure == eval.MeasureCausal {
		r.fitLength = length
	}
	return r
}

// observed makes the observations of a request, and reads them as a file would have them.
func observed(t *testing.T, r request) []eval.Observation {
	t.Helper()
	made, err := r.observe(t.Context(), func() {})
	if err != nil {
		t.Fatal(err)
	}
	return reread(t, made)
}

func reread(t *testing.T, made []eval.Observation) []eval.Observation {
	t.Helper()
	var b strings.Builder
	if err := eval.Write(&b, made...); err != nil {
		t.Fatal(err)
	}
	_, again, err := eval.Read(strings.NewReader(b.String()))
	if err != nil || len(again) != len(made) {
		t.Fatalf("%d observations of %d, %v", len(again), len(made), err)
	}
	return again
}

// excess is how far a role stands out from its control, as a share of what could be above it.
func excess(o eval.Observation, role string) float64 {
	return (o.Values[role] - o.Control[role]) / (1 - o.Control[role])
}

func near(a, b, within float64) bool { return math.Abs(a-b) <= within }

// Heads whose weights are known: each stands out in its role, with a score of 1, and position explains all.
func TestHandMadeHeads(t *testing.T) {
	sharp := blank(t, models.Config{Encoding: "alibi-learned", DModel: 8, NLayers: 1, NHeads: 2, DFF: 4})
	for i := range tensor.Data[float32](sharp.Weights["log_slope"]) {
		tensor.Data[float32](sharp.Weights["log_slope"])[i] = 6 // a slope of 403
	}
	for name, tc := range map[string]struct {
		model modelfile.Model
		head  int
		role  string
		at    float64
		mean  float64 // distance; −1 for what depends on the length
	}{
		"previous token":      {placed(t), 0, eval.RolePrevious, 0, 1},
		"position 3":          {placed(t), 1, eval.RolePosition, 3, -1},
		"ALiBi, steep":        {sharp, 0, eval.RoleOffset, 0, 0},
		"NoPE without weight": {blank(t, models.Config{Encoding: "nope", DModel: 8, NLayers: 1, NHeads: 1, DFF: 4}), 0, eval.RoleEven, 0, -1},
	} {
		for _, tokens := range Defaults().Tokens {
			o := observed(t, ask(t, eval.MeasureAttention, opened(t, tc.model), 6, tokens))[tc.head]
			v := o.Values
			if !near(v[tc.role], 1, 1e-5) || v[tc.role+"_at"] != tc.at || o.Control[tc.role] > 0.7 {
				t.Errorf("%s, %s: %v, controls %v", name, tokens, v, o.Control)
			}
			for _, other := range []string{eval.RolePrevious, eval.RoleFirst, eval.RolePosition, eval.RoleEven} {
				if other != tc.role && excess(o, other) > 0.6 {
					t.Errorf("%s, %s: %s stands out too, by %v", name, tokens, other, excess(o, other))
				}
			}
			if v["positional"] < 1-1e-6 || v["positional"] > 1+1e-6 {
				t.Errorf("%s, %s: position explains %v", name, tokens, v["positional"])
			}
			if tc.mean >= 0 && (!near(v["distance"], tc.mean, 1e-4) || v["distance_p50"] != tc.mean || v["distance_p90"] != tc.mean || !near(v["entropy"], 0, 1e-4)) {
				t.Errorf("%s, %s: distances %v", name, tokens, v)
			}
			if tc.role == eval.RoleEven && (!near(v["distance"], o.Control["distance"], 1e-4) || !near(v["entropy"], o.Control["entropy"], 1e-4)) {
				t.Errorf("%s, %s: even attention has the distances %v", name, tokens, v)
			}
			if !near(v["mass"], 1, 1e-5) {
				t.Errorf("%s, %s: weights sum to %v", name, tokens, v["mass"])
			}
		}
	}
}

// A head that attends to equal tokens, wherever they stand.
func TestContentHead(t *testing.T) {
	m := blank(t, models.Config{Encoding: "nope", DModel: 128, NLayers: 1, NHeads: 1, DHead: 128, DFF: 4})
	set := func(name string, row, column int, v float32) {
		w := m.Weights[name]
		tensor.Data[float32](w)[row*w.Shape()[1]+column] = v
	}
	for i := range min(m.Config.VocabSize, 128) {
		set("embed.weight", i, i, 1)
	}
	for i := range 128 {
		set("layers.0.attn.q_proj.weight", i, i, 1)
		set("layers.0.attn.k_proj.weight", i, i, 3)
	}
	r := ask(t, eval.MeasureAttention, opened(t, m), 20, eval.RandomTokens)
	r.samples = 40
	o := observed(t, r)[0]
	// A token met before has c earlier ones and itself: c/(c+1) of the weight, at least ½.
	if d := o.Values[eval.RoleDuplicate]; d < 0.5 || d > 0.7 || o.Control[eval.RoleDuplicate] > 0.1 {
		t.Errorf("duplicate tokens: %v, control %v", d, o.Control)
	}
	if o.Values[eval.RoleInduction] > 0.2 {
		t.Errorf("induction %v", o.Values[eval.RoleInduction])
	}
}

// Without attention there is nothing to read, and bounded models have no numbers beyond their bound.
func TestRefused(t *testing.T) {
	for _, cfg := range []models.Config{
		{Encoding: "lstm", DModel: 8, DFF: 8}, {Encoding: "cwrnn", DModel: 8, DFF: 8, NModules: 2},
		{Encoding: "deltanet", DModel: 8, NLayers: 1, NHeads: 1, DFF: 8},
	} {
		cfg.VocabSize = 9
		m, err := models.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		_, err = NewModel("m", modelfile.Model{Config: cfg, Weights: models.InitWeights(m.Params(), 1)})
		if err == nil || !strings.Contains(err.Error(), cfg.Encoding) || !strings.Contains(err.Error(), "attention") {
			t.Errorf("%s: error %v", cfg.Encoding, err)
		}
	}
	model := opened(t, placed(t))
	for measure := range measures {
		r := ask(t, measure, model, 20, eval.TaskTokens)
		if measure == eval.MeasureDivergence {
			r.other = model
		}
		all := observed(t, r)
		if len(all) != 1 || !all[0].NA || all[0].Measure != measure || !strings.Contains(all[0].Reason, "at most 32") || all[0].Values != nil {
			t.Errorf("%s beyond the last position: %+v", measure, all)
		}
	}
	even := opened(t, blank(t, models.Config{Encoding: "nope", DModel: 8, NLayers: 1, NHeads: 1, DFF: 4}))
	if all := observed(t, ask(t, eval.MeasureAttention, even, 1100, eval.TaskTokens)); len(all) != 1 || !strings.Contains(all[0].Reason, "at most 2048 can be") {
		t.Errorf("of too many tokens: %+v", all)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := ask(t, eval.MeasureAttention, model, 4, eval.TaskTokens).observe(ctx, func() {})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "analysis: model learned: task copy: length 4: ") {
		t.Errorf("cancelled: %v", err)
	}
	r := ask(t, eval.MeasureDivergence, model, 4, eval.TaskTokens)
	r.other = model
	if _, err := r.observe(ctx, func() {}); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "models learned and learned: ") {
		t.Errorf("cancelled: %v", err)
	}
}

// A model is at 0 from itself, the least over pairs of heads; from even attention a head on one token is as far as can be
// worked out.
func TestDiverge(t *testing.T) {
	sharp, even := opened(t, placed(t)), opened(t, blank(t, models.Config{Encoding: "nope", DModel: 8, NLayers: 1, NHeads: 2, DFF: 4}))
	between := func(a, b *Model) eval.Observation {
		r := ask(t, eval.MeasureDivergence, a, 4, eval.TaskTokens)
		r.other = b
		all := observed(t, r)
		if len(all) != 1 {
			t.Fatalf("%+v", all)
		}
		return all[0]
	}
	if o := between(sharp, sharp); o.Values["js"] > 1e-9 || o.Control["js"] < 0.1 || o.With != "learned" || o.WithEncoding != "learned" || o.WithSeed != 7 {
		t.Errorf("from itself: %+v", o)
	}
	o := between(even, even)
	if published, there := o.Values["js_published"]; o.Values["js"] > 1e-9 || o.Control["js"] > 1e-9 || !there || published > 1e-6 {
		t.Errorf("even attention from itself: %+v", o)
	}
	// Of n tokens: P even, Q all on one, M = (n+1)/2n there and 1/2n elsewhere. The first query is at 0, since all
	// see one token; that on position 3 is even until then.
	js := func(n float64) float64 {
		top := (n + 1) / (2 * n)
		return (math.Log(1/n/top)/n + (n-1)/n*math.Ln2 + math.Log(1/top)) / 2
	}
	want := 0.0
	tokens := 11.0 // the prompt's 7, the answer's 4
	for n := 1.0; n <= tokens; n++ {
		if n > 3 {
			want += js(n) / tokens
		}
	}
	o = between(even, sharp)
	if got := o.Values["js"]; o.SequenceTokens != int(tokens) || math.Abs(got-want) > 1e-3 {
		t.Errorf("even from one position: %v, want %v; %d tokens", got, want, o.SequenceTokens)
	}
	deep := opened(t, blank(t, models.Config{Encoding: "nope", DModel: 8, NLayers: 2, NHeads: 2, DFF: 4}))
	if err := sameShape(even, deep); err == nil || !strings.Contains(err.Error(), "equally many layers") {
		t.Errorf("other layers: %v", err)
	}
}

func TestPlan(t *testing.T) {
	model := func(label, encoding string, seed uint64) *Model {
		m := blank(t, models.Config{Encoding: encoding, DModel: 8, NLayers: 1, NHeads: 2, DFF: 4})
		m.Card.Seed = seed
		out, err := NewModel(label, m)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	all := []*Model{model("n1", "nope", 1), model("n2", "nope", 2), model("r1", "rope", 1), model("r3", "rope", 3)}
	o := Defaults()
	o.Samples, o.Divergence = 2, "nope"
	p, err := NewPlan(all, o)
	if err != nil {
		t.Fatal(err)
	}
	// Lengths 3, 5, 8 and 10 of each, with both kinds of tokens; at each length n1 with n2 and with r1, and r3, whose seed no
	// model of nope has, with both of these.
	if p.Done != 0 || p.Cells != 4*4*2+4*4 || p.Read != 0 || p.Sequences != int64(2*p.Cells) {
		t.Errorf("%+v", p)
	}
	last := int64(0)
	if err := p.run(t.Context(), unlogged(t), func(sequences int64, now func() string) {
		if sequences < last || now() == "" {
			t.Errorf("%d sequences after %d", sequences, last)
		}
		last = sequences
	}); err != nil {
		t.Fatal(err)
	}
	if p.Done != p.Cells || p.Read != p.Sequences || len(p.observations()) != 4*4*2*2+4*4 || last != p.Sequences {
		t.Errorf("%d of %d cells, %d observations", p.Done, p.Cells, len(p.observations()))
	}
	o.Divergence, o.Probe, o.Tokens = "", true, []string{eval.TaskTokens}
	if p, err = NewPlan(all[:1], o); err != nil {
		t.Fatal(err)
	}
	made := observations(t, p)
	// At each of 4 lengths 2 heads, and the states before and after 1 layer.
	if len(made) != 4*(2+2) {
		t.Errorf("%d observations", len(made))
	}
	for _, o := range made[8:] {
		if _, withheld := o.Values["r2_withheld"]; o.Measure != eval.MeasureProbe || o.Values["fit_length"] != 5 || withheld != (o.Length == 5) {
			t.Errorf("%+v", o)
		}
	}
	o.Constructed, o.Logits, o.Causal, o.Lengths = true, true, true, []int{3, 5}
	if p, err = NewPlan(all[:2], o); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, o := range observations(t, p) {
		counts[o.Measure+" "+o.Model+" "+o.Intervention]++
		if o.Intervention == eval.Constructed && o.Layer == 1 && (o.Values["r2"] < 0.999 || o.Values["fit_length"] != 5) {
			t.Errorf("theorem 1: %+v", o)
		}
	}
	want := map[string]int{"probe theorem 1 constructed": 4} // once, at 2 lengths, before and after its layer
	for _, m := range []string{"n1 ", "n2 "} {
		for _, measure := range []string{"attention ", "probe ", "logits ", "causal "} {
			want[measure+m] = 4
		}
	}
	if !maps.Equal(counts, want) {
		t.Errorf("observations %v, want %v", counts, want)
	}
	o.Probe = false
	if _, err := NewPlan(all, o); err == nil || !strings.Contains(err.Error(), "stands beside others in probes") {
		t.Errorf("error %v", err)
	}
	o.Constructed = false
	o.Divergence, o.Probe = "alibi", false
	if _, err := NewPlan(all, o); err == nil || !strings.Contains(err.Error(), "no model with the encoding alibi") {
		t.Errorf("error %v", err)
	}
	o.Lengths = []int{0}
	if _, err := NewPlan(all, o); err == nil || !strings.Contains(err.Error(), "length 0") {
		t.Errorf("error %v", err)
	}
	for want, change := range map[string]func(*Options){
		"n is 1, expected 2":     func(o *Options) { o.Samples = 1 },
		"n is 1048577":           func(o *Options) { o.Samples = eval.MaxSamples + 1 },
		"tokens is empty":        func(o *Options) { o.Tokens = nil },
		`kind of tokens "words"`: func(o *Options) { o.Tokens = []string{"words"} },
	} {
		o := Defaults()
		change(&o)
		if _, err := NewPlan(all, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %s", err, want)
		}
	}
}

// unlogged keeps nothing.
func unlogged(t *testing.T) *rowlog.Log[eval.Observation] {
	log, err := new(Plan).Resume("")
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// observations runs a plan, and reads what it made as a file would have it.
func observations(t *testing.T, p *Plan) []eval.Observation {
	t.Helper()
	if err := p.run(t.Context(), unlogged(t), func(int64, func() string) {}); err != nil {
		t.Fatal(err)
	}
	return reread(t, p.observations())
}
