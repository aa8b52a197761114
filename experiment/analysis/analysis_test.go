package analysis_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/analysis"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// blank is a model of copy whose weights are all 0, but for the gains of norms.
func blank(t *testing.T, cfg models.Config) modelfile.Model {
	t.Helper()
	words, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	pieces := words.Vocabulary()
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

func request(t *testing.T, length int, tokens string) analysis.Request {
	t.Helper()
	words, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	return analysis.Request{Task: words, Length: length, Samples: 12, Seed: 1, Tokens: tokens}
}

func heads(t *testing.T, m modelfile.Model, r analysis.Request) []eval.Finding {
	t.Helper()
	model, err := analysis.NewModel("made", m)
	if err != nil {
		t.Fatal(err)
	}
	found, err := analysis.Heads(t.Context(), model, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := eval.WriteFindings(&b, found...); err != nil {
		t.Fatal(err)
	}
	again, err := eval.ReadFindings(strings.NewReader(b.String()))
	if err != nil || len(again) != len(found) {
		t.Fatalf("%d findings of %d, %v", len(again), len(found), err)
	}
	return again
}

func near(a, b, within float64) bool { return math.Abs(a-b) <= within }

// Heads whose weights are known: each has its label, its score is 1, and position explains all.
func TestHandMadeHeads(t *testing.T) {
	sharp := blank(t, models.Config{Encoding: "alibi-learned", DModel: 8, NLayers: 1, NHeads: 2, DFF: 4})
	for i := range tensor.Data[float32](sharp.Weights["log_slope"]) {
		tensor.Data[float32](sharp.Weights["log_slope"])[i] = 6 // a slope of 403
	}
	for name, tc := range map[string]struct {
		model modelfile.Model
		head  int
		label string
		at    int
		score float64
		mean  float64 // distance; −1 for what depends on the length
	}{
		"previous token":      {placed(t), 0, eval.RolePrevious, 0, 1, 1},
		"position 3":          {placed(t), 1, eval.RolePosition, 3, 1, -1},
		"ALiBi, steep":        {sharp, 0, eval.RoleOffset, 0, 1, 0},
		"NoPE without weight": {blank(t, models.Config{Encoding: "nope", DModel: 8, NLayers: 1, NHeads: 1, DFF: 4}), 0, eval.RoleEven, 0, 1, -1},
	} {
		for _, tokens := range analysis.Tokens() {
			f := heads(t, tc.model, request(t, 6, tokens))[tc.head]
			a, role := f.Attention, f.Attention.Roles[tc.label]
			if a.Label != tc.label || !near(role.Score, tc.score, 1e-5) || role.At != tc.at || role.Null > 0.7 {
				t.Errorf("%s, %s: %s, %+v", name, tokens, a.Label, a.Roles)
			}
			if a.Positional == nil || !near(*a.Positional, 1, 1e-6) {
				t.Errorf("%s, %s: position explains %v", name, tokens, a.Positional)
			}
			if tc.mean >= 0 && (!near(a.Mean, tc.mean, 1e-4) || a.P50 != tc.mean || a.P90 != tc.mean || !near(a.Entropy, 0, 1e-4)) {
				t.Errorf("%s, %s: distances %+v", name, tokens, a.Distances)
			}
			if tc.label == eval.RoleEven && (!near(a.Mean, a.EvenMean, 1e-4) || !near(a.Entropy, a.EvenEntropy, 1e-4)) {
				t.Errorf("%s, %s: even attention has the distances %+v", name, tokens, a.Distances)
			}
			if !near(a.Mass, 1, 1e-5) {
				t.Errorf("%s, %s: weights sum to %v", name, tokens, a.Mass)
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
	r := request(t, 20, eval.RandomTokens)
	r.Samples = 40
	a := heads(t, m, r)[0].Attention
	// A token met before has c earlier ones and itself: c/(c+1) of the weight, at least ½.
	if d := a.Roles[eval.RoleDuplicate]; d.Score < 0.5 || d.Score > 0.7 || d.Null > 0.1 {
		t.Errorf("duplicate tokens: %+v", d)
	}
	if a.Roles[eval.RoleInduction].Score > 0.2 {
		t.Errorf("induction %+v", a.Roles[eval.RoleInduction])
	}
}

// Without attention there is nothing to read, and bounded models have no findings beyond their bound.
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
		_, err = analysis.NewModel("m", modelfile.Model{Config: cfg, Weights: models.InitWeights(m.Params(), 1)})
		if err == nil || !strings.Contains(err.Error(), cfg.Encoding) || !strings.Contains(err.Error(), "attention") {
			t.Errorf("%s: error %v", cfg.Encoding, err)
		}
	}
	found := heads(t, placed(t), request(t, 20, eval.TaskTokens))
	if len(found) != 1 || !found[0].NA || !strings.Contains(found[0].Reason, "at most 32") {
		t.Errorf("beyond the last position: %+v", found)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	model, err := analysis.NewModel("made", placed(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := analysis.Heads(ctx, model, request(t, 4, eval.TaskTokens), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	r := request(t, 4, eval.TaskTokens)
	r.Samples = 1
	if _, err := analysis.Heads(t.Context(), model, r, nil); err == nil || !strings.Contains(err.Error(), "n is 1, expected 2") {
		t.Errorf("one sample: %v", err)
	}
}

// A model is at 0 from itself, the least over pairs of heads; from even attention a head on one token
// is as far as can be worked out.
func TestDiverge(t *testing.T) {
	open := func(m modelfile.Model) *analysis.Model {
		out, err := analysis.NewModel(m.Config.Encoding, m)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	sharp, even := open(placed(t)), open(blank(t, models.Config{Encoding: "nope", DModel: 8, NLayers: 1, NHeads: 2, DFF: 4}))
	r := request(t, 4, eval.TaskTokens)
	between := func(a, b *analysis.Model) *eval.Divergence {
		found, err := analysis.Diverge(t.Context(), a, b, r, nil)
		if err != nil || len(found) != 1 {
			t.Fatalf("%+v, %v", found, err)
		}
		if err := eval.WriteFindings(&strings.Builder{}, found...); err != nil {
			t.Error(err)
		}
		return found[0].Divergence
	}
	if d := between(sharp, sharp); d.JensenShannon > 1e-9 || d.Null < 0.1 || d.With != "learned" || d.Seed != 7 {
		t.Errorf("from itself: %+v", d)
	}
	if d := between(even, even); d.JensenShannon > 1e-9 || d.Null > 1e-9 || d.Published == nil || *d.Published > 1e-6 {
		t.Errorf("even attention from itself: %+v", d)
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
	found, err := analysis.Diverge(t.Context(), even, sharp, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := found[0].Divergence.JensenShannon; found[0].SequenceTokens != int(tokens) || math.Abs(got-want) > 1e-3 {
		t.Errorf("even from one position: %v, want %v; %d tokens", got, want, found[0].SequenceTokens)
	}
	deep := open(blank(t, models.Config{Encoding: "nope", DModel: 8, NLayers: 2, NHeads: 2, DFF: 4}))
	if _, err := analysis.Diverge(t.Context(), even, deep, r, nil); err == nil || !strings.Contains(err.Error(), "equally many layers") {
		t.Errorf("other layers: %v", err)
	}
}

func TestPlan(t *testing.T) {
	made := func(label, encoding string, seed uint64) *analysis.Model {
		m := blank(t, models.Config{Encoding: encoding, DModel: 8, NLayers: 1, NHeads: 2, DFF: 4})
		m.Card.Seed = seed
		out, err := analysis.NewModel(label, m)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	all := []*analysis.Model{made("n1", "nope", 1), made("n2", "nope", 2), made("r1", "rope", 1), made("r3", "rope", 3)}
	o := analysis.Defaults()
	o.Samples, o.Divergence = 2, "nope"
	p, err := analysis.NewPlan(all, o)
	if err != nil {
		t.Fatal(err)
	}
	// Lengths 3, 5, 8 and 10 of each, with both kinds of tokens; n1 with n2 and with r1 at each length.
	_, work := p.Work()
	if done, cells := p.Cells(); done != 0 || cells != 4*4*2+4*2 || work != int64(2*cells) {
		t.Errorf("%d of %d cells, %d sequences", done, cells, work)
	}
	last := int64(0)
	if err := p.Run(t.Context(), nil, func(sequences int64, now func() string) {
		if sequences < last || now() == "" {
			t.Errorf("%d sequences after %d", sequences, last)
		}
		last = sequences
	}); err != nil {
		t.Fatal(err)
	}
	if done, cells := p.Cells(); done != cells || len(p.Findings()) != 4*4*2*2+4*2 || last != work {
		t.Errorf("%d of %d cells, %d findings", done, cells, len(p.Findings()))
	}
	o.Divergence, o.Probe, o.Tokens = "", true, []string{eval.TaskTokens}
	if p, err = analysis.NewPlan(all[:1], o); err != nil {
		t.Fatal(err)
	}
	found := findings(t, p)
	// Of each of 4 lengths 2 heads, and the states before and after 1 layer.
	if len(found) != 4*(2+2) || found[8].Probe == nil || found[8].Probe.FitLength != 5 || (found[8].Probe.Withheld != nil) != (found[8].Length == 5) {
		t.Errorf("%d findings, %+v", len(found), found[8])
	}
	o.Constructed, o.Logits, o.Causal, o.Lengths = true, true, true, []int{3, 5}
	if p, err = analysis.NewPlan(all[:2], o); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, f := range findings(t, p) {
		counts[f.Measure+" "+f.Model+" "+f.Intervention]++
		if p := f.Probe; f.Intervention == eval.Constructed && f.Layer == 1 && (p.R2 < 0.999 || p.FitLength != 5) {
			t.Errorf("theorem 1: %+v", p)
		}
	}
	want := map[string]int{"probe theorem 1 constructed": 4} // once, at 2 lengths, before and after its layer
	for _, m := range []string{"n1 ", "n2 "} {
		for _, measure := range []string{"attention ", "probe ", "logits ", "causal "} {
			want[measure+m] = 4
		}
	}
	if !maps.Equal(counts, want) {
		t.Errorf("findings %v, want %v", counts, want)
	}
	o.Probe = false
	if _, err := analysis.NewPlan(all, o); err == nil || !strings.Contains(err.Error(), "stands beside others in probes") {
		t.Errorf("error %v", err)
	}
	o.Constructed = false
	o.Divergence, o.Probe = "alibi", false
	if _, err := analysis.NewPlan(all, o); err == nil || !strings.Contains(err.Error(), "no model with the encoding alibi") {
		t.Errorf("error %v", err)
	}
	o.Lengths = []int{0}
	if _, err := analysis.NewPlan(all, o); err == nil || !strings.Contains(err.Error(), "length 0") {
		t.Errorf("error %v", err)
	}
}

// findings runs a plan, and reads what it found as a file would have it.
func findings(t *testing.T, p *analysis.Plan) []eval.Finding {
	t.Helper()
	if err := p.Run(t.Context(), nil, func(int64, func() string) {}); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	if err := eval.WriteFindings(&lines, p.Findings()...); err != nil {
		t.Fatal(err)
	}
	out, err := eval.ReadFindings(strings.NewReader(lines.String()))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
