package models_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// trainedOn is what the new models are trained on.
func trainedOn() (pe.Data, error) { return pe.Data{Longest: 30}, nil }

// What new configurations have and stored ones do not; renewing twice is renewing once, and what is
// given stays.
func TestRenew(t *testing.T) {
	for _, tc := range []struct {
		encoding, settings string
		want               string
	}{
		{"nope", "", ""},
		{"rope", "", ""},
		{"rope", `{"theta": 500}`, `{"theta": 500}`}, // byte by byte
		{"rope", `{"scaling":"pi","scaling_factor":2}`, `{"scaling":"pi","scaling_factor":2}`},
		{"rope", `{"scaling":"yarn","scaling_factor":2,"scaling_length":9}`,
			`{"scaling":"yarn","scaling_ramp":"pairs","scaling_factor":2,"scaling_length":9}`},
		{"rope", `{"scaling":"yarn-paper","scaling_factor":2,"scaling_length":9}`,
			`{"scaling":"yarn","scaling_factor":2,"scaling_length":9}`},
		{"sinusoidal", "", `{"learned":true}`},
		{"sinusoidal", `{"layout":"halves"}`, `{"layout":"halves","learned":true}`},
		{"sinusoidal", `{"amplitude":0.15}`, `{"amplitude":0.15}`},
		{"sinusoidal", `{"amplitude":0.02}`, ""},
		{"sinusoidal", `{"learned":false}`, ""},
		{"sinusoidal", `{"amplitude":0.1,"learned":true}`, `{"amplitude":0.1,"learned":true}`},
		{"sinusoidal/nope", "", `{"sinusoidal":{"learned":true}}`},
		{"sinusoidal/nope", `{"sinusoidal":{"amplitude":0.02}}`, ""},
		{"deltanet/sinusoidal", "", `{"sinusoidal":{"learned":true}}`},
		{"deltanet/fire", "", `{"fire":{"threshold":15}}`},
		{"deltanet", "", ""},
		{"lstm", "", ""},
	} {
		cfg := micro(tc.encoding, "modern")
		cfg.EncodingParams = json.RawMessage(tc.settings)
		cfg, err := cfg.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		got, err := cfg.Renew(trainedOn)
		if err != nil || string(got.EncodingParams) != tc.want {
			t.Errorf("%s %s: settings %s, %v; want %s", tc.encoding, tc.settings, got.EncodingParams, err, tc.want)
		}
		if _, err := models.New(got); err != nil {
			t.Errorf("%s %s: %v", tc.encoding, tc.settings, err)
		}
	}
	faithful, err := micro("sinusoidal", "faithful").Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := faithful.Renew(trainedOn); err != nil || string(got.EncodingParams) != string(faithful.EncodingParams) {
		t.Errorf("the paper's settings become %s, %v", got.EncodingParams, err)
	}
}

// The norm behind heads and the first convolution are as in the papers' code; stored
// configurations have what they had.
func TestRenewHeads(t *testing.T) {
	stds := func(c models.Config) (std float64) {
		for _, p := range newDecoder(t, c).Params() {
			if strings.HasSuffix(p.Name, "layers.0.attn.conv.weight") {
				std = p.Std
			}
		}
		return std
	}
	delta, err := micro("deltanet", "modern").Resolve()
	if err != nil {
		t.Fatal(err)
	}
	renewed, err := delta.Renew(trainedOn)
	if err != nil || renewed.HeadNormEps != 1e-5 || stds(delta) != 0.5 || math.Abs(stds(renewed)-0.5/math.Sqrt(3)) > 1e-15 {
		t.Errorf("eps %v, the convolution's %v became %v; %v", renewed.HeadNormEps, stds(delta), stds(renewed), err)
	}
	cfg := micro("nope", "modern")
	cfg.Attention = "differential"
	if cfg, err = cfg.Renew(trainedOn); err != nil || cfg.HeadNormEps != 1e-5 {
		t.Errorf("differential attention: eps %v, %v", cfg.HeadNormEps, err)
	}
	if cfg, err = micro("nope", "modern").Renew(trainedOn); err != nil || cfg.HeadNormEps != 0 {
		t.Errorf("softmax: eps %v, %v", cfg.HeadNormEps, err)
	}
	unknown := errors.New("nobody knows")
	hybrid, err := micro("deltanet/fire", "modern").Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if _, err = hybrid.Renew(func() (pe.Data, error) { return pe.Data{}, unknown }); !errors.Is(err, unknown) {
		t.Errorf("error %v", err)
	}
}
