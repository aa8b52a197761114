package models_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/models"
)

func intervention(t *testing.T, rope string, scales ...string) models.Intervention {
	t.Helper()
	i, err := models.ParseIntervention(rope, "", scales...)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// 40 tokens, as if the model had been trained on them.
func longest() (int, error) { return 40, nil }

func TestParseIntervention(t *testing.T) {
	for _, tc := range []struct {
		rope   string
		scales []string
		want   models.Intervention
		text   string
	}{
		{"", nil, models.Intervention{}, ""},
		{"yarn:4", []string{"log-n=0.4"},
			models.Intervention{RoPE: "yarn", RoPEFactor: 4, LogN: true, LogitSlope: 0.4}, "yarn:4, log-n=0.4"},
		{"pi:2.5", []string{"factor=1.2", "log-n"},
			models.Intervention{RoPE: "pi", RoPEFactor: 2.5, LogN: true, Factors: []float64{1.2}},
			"pi:2.5, log-n, factor=1.2"},
		{"", []string{"factor=1,1.5"}, models.Intervention{Factors: []float64{1, 1.5}}, "factor=1,1.5"},
	} {
		got := intervention(t, tc.rope, tc.scales...)
		if diff := cmp.Diff(tc.want, got); diff != "" || got.String() != tc.text {
			t.Errorf("%s %v is %q (-want +got):\n%s", tc.rope, tc.scales, got, diff)
		}
	}
	for _, tc := range []struct {
		rope, want string
		scales     []string
	}{
		{rope: "yarn", want: `rope "yarn": want none, or one of pi, ntk, dynamic, yarn, yarn-paper, a colon and a factor`},
		{rope: "llama3:2", want: `rope "llama3:2": want none, or one of`},
		{scales: []string{"log-n=0"}, want: `scale "log-n=0": want log-n=C with a positive number`},
		{scales: []string{"log-n=x"}, want: `scale "log-n=x"`},
		{scales: []string{"factor"}, want: `scale "factor": want factor=X`},
		{scales: []string{"factor=1,,2"}, want: `scale "factor=1,,2"`},
		{scales: []string{"temperature=2"}, want: `scale "temperature=2": want log-n, log-n=C or factor=X`},
		{scales: []string{"log-n", "log-n=1"}, want: `scale "log-n=1": there are two of its kind`},
	} {
		_, err := models.ParseIntervention(tc.rope, "", tc.scales...)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %v: error %v, want one about %s", tc.rope, tc.scales, err, tc.want)
		}
	}
}

// What an intervention writes into a configuration: nothing else, and no other weights.
func TestApply(t *testing.T) {
	cfg := micro("rope", "modern")
	cfg.EncodingParams = []byte(`{"theta":500}`)
	plain := newDecoder(t, cfg)
	got, err := intervention(t, "yarn:4", "log-n=0.4", "factor=1,1.5").Apply(cfg, longest)
	if err != nil {
		t.Fatal(err)
	}
	want := plain.Config()
	want.LogitScale, want.LogitSlope, want.LogitFactors, want.TrainedLength = "log-n", 0.4, []float64{1, 1.5}, 40
	want.EncodingParams = []byte(`{"theta":500,"scaling":"yarn","scaling_ramp":"pairs","scaling_factor":4,"scaling_length":40}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	changed := newDecoder(t, got)
	if diff := cmp.Diff(plain.Params(), changed.Params()); diff != "" {
		t.Errorf("other weights (-want +got):\n%s", diff)
	}
	ids := tokens(9, 1)
	x, y := newRunner(t, plain, models.Mode{}, 1).step(ids)[0], newRunner(t, changed, models.Mode{}, 1).step(ids)[0]
	if worst(x[8], y[8]) < 1e-6 {
		t.Error("the intervention has no effect")
	}
}

// A window stands in place of the model's own.
func TestApplyWindow(t *testing.T) {
	i, err := models.ParseIntervention("", "4*1/0")
	if err != nil || i.String() != "window=4*1/0" {
		t.Fatalf("%q, %v", i, err)
	}
	cfg := micro("rope", "modern")
	cfg.Window = "8"
	got, err := i.Apply(cfg, longest)
	if err != nil || got.Window != "4/0" {
		t.Errorf("window %q, %v", got.Window, err)
	}
	i.Window = "x"
	const want = `models: window: "x": want tokens`
	if _, err = i.Apply(cfg, longest); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}

// Of a hybrid the encodings that rotate are scaled, and keep their other settings.
func TestApplyToHybrid(t *testing.T) {
	cfg := micro("rope/nope", "modern")
	cfg.EncodingParams = []byte(`{"rope":{"layout":"interleaved"}}`)
	got, err := intervention(t, "pi:2").Apply(cfg, longest)
	want := `{"rope":{"layout":"interleaved","scaling":"pi","scaling_factor":2}}`
	if err != nil || string(got.EncodingParams) != want {
		t.Errorf("settings %s, %v", got.EncodingParams, err)
	}
	_, err = intervention(t, "pi:2").Apply(micro("alibi/nope", "modern"), longest)
	if err == nil || !strings.Contains(err.Error(), "the encoding alibi/nope has no frequencies") {
		t.Errorf("alibi/nope: error %v", err)
	}
}

// Without the rotation a model is NoPE, with the same weights.
func TestApplyNoRoPE(t *testing.T) {
	for encoding, params := range map[string]string{"rope": `{"theta":500}`, "rope/nope": `{"rope":{"theta":500}}`, "rope.a/rope": ""} {
		cfg := micro(encoding, "modern")
		cfg.EncodingParams = []byte(params)
		i := intervention(t, "none")
		got, err := i.Apply(cfg, longest)
		if err != nil || got.Encoding != "nope" || got.EncodingParams != nil || i.String() != "rope=none" {
			t.Errorf("%s: %s %s, %v", encoding, got.Encoding, got.EncodingParams, err)
		}
	}
	for encoding, want := range map[string]string{"alibi": "no rotation to leave out", "rope/alibi": "other layers of rope/alibi"} {
		if _, err := intervention(t, "none").Apply(micro(encoding, "modern"), longest); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", encoding, err)
		}
	}
}

// A scaling that a model has from its configuration is not replaced.
func TestApplyToScaled(t *testing.T) {
	cfg := micro("rope", "modern")
	cfg.EncodingParams = []byte(`{"scaling":"llama3","scaling_factor":8,"scaling_length":64}`)
	const want = "yarn:4: the model's frequencies have the scaling llama3 already"
	if _, err := intervention(t, "yarn:4").Apply(cfg, longest); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}

// Factors of 1 make the same graph with one more product, by 1.
func TestApplyIdentity(t *testing.T) {
	text := func(cfg models.Config, mode models.Mode) string {
		g, _, err := newDecoder(t, cfg).Graph(mode)
		if err != nil {
			t.Fatal(err)
		}
		return g.String()
	}
	for _, rope := range []string{"pi:1", "ntk:1", "yarn:1"} {
		cfg, err := intervention(t, rope).Apply(micro("rope", "faithful"), longest)
		if rope == "ntk:1" { // a quarter of 8 features is one pair
			if err == nil || !strings.Contains(err.Error(), "needs two pairs") {
				t.Errorf("%s: error %v", rope, err)
			}
			cfg, err = intervention(t, rope).Apply(micro("rope", "modern"), longest)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range modes {
			if text(cfg, mode) != text(micro("rope", cfg.Settings), mode) {
				t.Errorf("%s, %s: another graph", rope, modeName(mode))
			}
		}
	}
	plain := newRunner(t, newDecoder(t, micro("alibi", "modern")), models.Mode{}, 1).step(tokens(9, 1))[0]
	// 40 tokens are not reached
	cfg, err := intervention(t, "", "factor=1", "log-n=3").Apply(micro("alibi", "modern"), longest)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range newRunner(t, newDecoder(t, cfg), models.Mode{}, 1).step(tokens(9, 1))[0] {
		if !slices.Equal(got, plain[i]) {
			t.Errorf("token %d: factors of 1 change logits", i)
		}
	}
}

func TestApplyErrors(t *testing.T) {
	ssmax := micro("rope", "modern")
	ssmax.LogitScale, ssmax.TrainedLength = "ssmax", 40
	unknown := func() (int, error) { return 0, errors.New("no task") }
	for i, tc := range []struct {
		cfg     models.Config
		rope    string
		scale   string
		longest func() (int, error)
		want    string
	}{
		{micro("alibi", "modern"), "pi:2", "", longest, "pi:2: the encoding alibi has no frequencies to scale"},
		{models.Config{Encoding: "cwrnn", DModel: 8, NUnits: 8, NModules: 2, VocabSize: 9}, "", "log-n", longest,
			"log-n: cwrnn has no attention"},
		{ssmax, "", "log-n", longest, "trained with logit_scale ssmax"},
		{micro("rope", "modern"), "pi:0.5", "", longest, "scaling_factor 0.5"},
		{micro("rope", "modern"), "", "factor=1,2,3", longest, "logit_factors: 3 of them; want 1, 2"},
		{micro("rope", "modern"), "yarn:2", "", unknown, "longest sequence in training: no task"},
		{micro("rope", "modern"), "pi:2", "factor=2", unknown, ""},
		{ssmax, "yarn:2", "", unknown, ""}, // it knows how long
	} {
		var scales []string
		if tc.scale != "" {
			scales = append(scales, tc.scale)
		}
		_, err := intervention(t, tc.rope, scales...).Apply(tc.cfg, tc.longest)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(fmt.Sprint(err), tc.want)) {
			t.Errorf("%d: error %v, want %q", i, err, tc.want)
		}
	}
}
