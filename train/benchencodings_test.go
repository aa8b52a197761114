package train_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// attentionSettings are settings of the attention that go with any encoding.
var attentionSettings = map[string]func(c *models.Config){
	"attention=differential": func(c *models.Config) { c.Attention = "differential" },
	"attention=entmax":       func(c *models.Config) { c.Attention = "entmax" },
	"attention_gate=element": func(c *models.Config) { c.AttentionGate = "element" },
	"attention_gate=head":    func(c *models.Config) { c.AttentionGate = "head" },
	"attention_sink=learned": func(c *models.Config) { c.AttentionSink = "learned" },
	"logit_scale=adaptive":   func(c *models.Config) { c.LogitScale = "adaptive" },
	"logit_scale=ssmax":      func(c *models.Config) { c.LogitScale, c.TrainedLength = "ssmax", 64 },
	"qk_norm=rms":            func(c *models.Config) { c.QKNorm = "rms" },
}

// BenchmarkEncodings relates what each encoding, and each setting of the attention, costs to NoPE: whole training steps of
// the preset small on 64 sequences of 64 tokens, reading a prompt of 480 tokens and each
// of 32 tokens after it, both at batch 1. The two take turns in one process; ratios are
// of median times.
func BenchmarkEncodings(b *testing.B) {
	orttest.Require(b)
	configs := map[string]runfile.Config{}
	for _, name := range models.Encodings() {
		configs[name] = smallWith(b, name)
	}
	for name, change := range attentionSettings {
		cfg := smallWith(b, "nope")
		change(&cfg.Model)
		configs[name] = cfg
	}
	for _, name := range slices.Sorted(maps.Keys(configs)) {
		b.Run(name, func(b *testing.B) {
			var step, prompt, token ratio
			nope := smallWith(b, "nope")
			train := [2]func(*testing.B) time.Duration{stepper(b, nope), stepper(b, configs[name])}
			generate := [2]func(*testing.B) (prompt, token time.Duration){generator(b, nope), generator(b, configs[name])}
			for b.Loop() {
				for i := range 2 {
					step.add(i, train[i](b))
					p, t := generate[i](b)
					prompt.add(i, p)
					token.add(i, t)
				}
			}
			b.ReportMetric(step.ofMedians(), "step/nope")
			b.ReportMetric(prompt.ofMedians(), "prompt/nope")
			b.ReportMetric(token.ofMedians(), "token/nope")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// ratio has the times of NoPE and of another encoding.
type ratio [2][]time.Duration

func (r *ratio) add(i int, d time.Duration) { r[i] = append(r[i], d) }

// ofMedians leaves out the first round, which warms up.
func (r *ratio) ofMedians() float64 {
	median := func(d []time.Duration) float64 {
		d = slices.Sorted(slices.Values(d[min(1, len(d)-1):]))
		return float64(d[len(d)/2])
	}
	return median(r[1]) / median(r[0])
}

func smallWith(b *testing.B, encoding string) runfile.Config {
	cfg := preset(b, "small")
	cfg.Model.Architecture, cfg.Model.Encoding = "", encoding // which may be an architecture
	cfg.Train.CheckpointEvery = 1 << 30
	return cfg
}

// stepper returns what makes a training step and times it.
func stepper(b *testing.B, cfg runfile.Config) func(*testing.B) time.Duration {
	r, err := train.New(b.TempDir(), cfg, train.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	data := randomStep(64, 64, r.Config())
	return func(b *testing.B) time.Duration {
		start := time.Now()
		if _, err := train.Update(r, data); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
}

// generator returns what continues a prompt, and times reading it and the median token.
func generator(b *testing.B, cfg runfile.Config) func(*testing.B) (prompt, token time.Duration) {
	cfg, err := cfg.Resolve()
	if err != nil {
		b.Fatal(err)
	}
	m, err := models.New(cfg.Model)
	if err != nil {
		b.Fatal(err)
	}
	pieces := []string{tokenizer.PadPiece, tokenizer.EOSPiece}
	for len(pieces) < cfg.Model.VocabSize {
		pieces = append(pieces, fmt.Sprintf("piece%d", len(pieces)))
	}
	file, err := modelfile.Model{Config: cfg.Model, Weights: models.InitWeights(m.Params(), 1),
		Card: card.Card{Tokenizer: pieces}}.ONNX(card.Portable)
	if err != nil {
		b.Fatal(err)
	}
	s, err := runtime.OpenBytes(file, runtime.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	ids := make([]int64, 480) // with the new ones no more than learned positions have
	for i := range ids {
		ids[i] = int64(2 + i%(cfg.Model.VocabSize-2))
	}
	return func(b *testing.B) (prompt, token time.Duration) {
		var times []time.Duration
		last := time.Now()
		for _, err := range s.Generate(b.Context(), [][]int64{ids}, runtime.GenerateOptions{MaxNew: 32, Stop: []int64{}}) {
			if err != nil {
				b.Fatal(err)
			}
			times = append(times, time.Since(last))
			last = time.Now()
		}
		tokens := slices.Sorted(slices.Values(times[1:]))
		return times[0], tokens[len(tokens)/2]
	}
}
