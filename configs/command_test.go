package configs_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/train/runfile"
)

// A command line names what differs from the preset, and nothing else.
func TestCommand(t *testing.T) {
	for _, tc := range []struct {
		preset, encoding string
		set              []string
		want             string
	}{
		{"tiny", "rope", nil, "zoo train --preset tiny --pe rope --task copy"},
		{"tiny", "nope", []string{"train.task=unique-copy", "train.threads=1", "model.d_ff=256", "train.lr=0.001"},
			"zoo train --preset tiny --pe nope --task unique-copy --set model.d_ff=256 --set train.lr=0.001 " +
				"--set train.threads=1"},
		{"tiny", "learned", []string{"model.encoding_params.max_length=402", "train.positions=offset"},
			"zoo train --preset tiny --pe learned --task copy --set model.encoding_params.max_length=402 " +
				"--set train.positions=offset --set train.max_position=402"},
		{"tiny", "cwrnn", []string{"model.n_units=64"}, "zoo train --preset tiny --pe cwrnn --task copy --set model.n_units=64"},
		{"formal", "learned", []string{"train.eval_lengths=1..50+1"},
			"zoo train --preset formal --pe learned --task unique-copy+alphabet150 --set train.eval_lengths=1..50+1"},
	} {
		var given []configs.Value
		for _, pair := range tc.set {
			key, value, _ := strings.Cut(pair, "=")
			given = append(given, configs.Value{Key: key, Value: value, From: "--set"})
		}
		l, err := configs.Load(configs.Sources{Preset: tc.preset, Overrides: given, Encodings: []string{tc.encoding}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := l.Config(tc.encoding)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Model.EncodingParams) > 0 { // as the file of a run has it
			var b bytes.Buffer
			if err := json.Indent(&b, c.Model.EncodingParams, "", "  "); err != nil {
				t.Fatal(err)
			}
			c.Model.EncodingParams = b.Bytes()
		}
		if got, err := configs.Command(tc.preset, c); err != nil || got != tc.want {
			t.Errorf("got %q, %v\nwant %q", got, err, tc.want)
		}
	}
	c, err := configs.Preset("tiny")
	if err != nil {
		t.Fatal(err)
	}
	c.From = &runfile.Start{Run: "runs/first"}
	if _, err := configs.Command("tiny", c); err == nil || !strings.Contains(err.Error(), "second phase of runs/first") {
		t.Errorf("a second phase: %v", err)
	}
	if _, err := configs.Command("tinny", c); err == nil {
		t.Error("an unknown preset is no error")
	}
}
