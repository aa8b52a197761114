package pe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// sinusoidal adds to the embedding at position p the values sin(p·ω_c) and
// cos(p·ω_c), ω_c = 10000^(−2c/D), c = 0 … D/2−1 (Vaswani et al. 2017, arXiv
// 1706.03762, section 3.5). They are computed from the positions: no table ends
// anywhere. They are multiplied by the amplitude, and the embedding by nothing.
//
// The trap is the amplitude. Embeddings that start at 0.02 end at 0.13 to 0.15 in small models,
// and sinusoids of a fixed 0.02 nearly vanish next to them: where one word is repeated, such models go on
// about as far as NoPE. Where it is learned it grows, to 0.21 there, and they have 0 % beyond the trained length
// (three seeds each; studies/nope), as in Kazemnejad et al. 2023 (arXiv 2305.19466).
type sinusoidal struct {
	NoPE
	freq        []float64
	amplitude   float64
	learned     bool // the amplitude is where a weight begins
	interleaved bool
}

// sinusoidalSettings are the settings.
type sinusoidalSettings struct {
	// Layout of the features: "interleaved" (sine and cosine of one frequency
	// side by side, as the paper writes it; default) or "halves" (all sines, then
	// all cosines, as most code has it, also the code of Kazemnejad et al. 2023). They
	// differ by a permutation of the features.
	Layout string `json:"layout,omitempty" about:"interleaved (default) or halves (all sines, then all cosines)"`
	// Amplitude of the sinusoids; default 0.02. The paper adds sinusoids of 1 to
	// embeddings of size 1; this is that ratio as training begins, where embeddings start at 0.02.
	// With 1 they drown there: the preset tiny with 400 steps (one seed) then ends
	// at a loss of 4.2 on the copy task, against 0.08.
	Amplitude float64 `json:"amplitude,omitempty" about:"of the sinusoids; default 0.02"`
	// Learned makes the amplitude a weight, which begins at Amplitude. Absent, the amplitude is
	// fixed; new configurations that give neither have it learned (see Row.Renew).
	Learned *bool `json:"learned,omitempty" about:"whether the amplitude is a weight, which begins there; default true, unless amplitude is given"`
}

// fixedAmplitude is the default.
const fixedAmplitude = 0.02

// renewSinusoidal has the amplitude learned where nothing is said of it.
func renewSinusoidal(settings json.RawMessage) (json.RawMessage, error) {
	p, err := parse[sinusoidalSettings](settings)
	if err != nil {
		return nil, err
	}
	switch given := p; {
	case p.Learned == nil && p.Amplitude == 0:
		p.Learned = new(true)
	default: // one way to write a configuration, one hash
		if p.Learned != nil && !*p.Learned {
			p.Learned = nil
		}
		if p.Amplitude == fixedAmplitude {
			p.Amplitude = 0
		}
		if p == given {
			return settings, nil
		}
	}
	if p == (sinusoidalSettings{}) {
		return nil, nil
	}
	return json.Marshal(p)
}

func newSinusoidal(d Dims, p sinusoidalSettings) (Encoding, error) {
	p.Layout = cmp.Or(p.Layout, "interleaved")
	if p.Layout != "interleaved" && p.Layout != "halves" {
		return nil, fmt.Errorf("layout %q is unknown; use interleaved or halves", p.Layout)
	}
	p.Amplitude = cmp.Or(p.Amplitude, fixedAmplitude)
	if !(p.Amplitude > 0 && p.Amplitude <= 100) {
		return nil, fmt.Errorf("amplitude %v: want a positive number up to 100", p.Amplitude)
	}
	freq, err := sinusoidFrequencies(d.Model)
	if err != nil {
		return nil, err
	}
	return sinusoidal{freq: freq, amplitude: p.Amplitude,
		learned: p.Learned != nil && *p.Learned, interleaved: p.Layout == "interleaved"}, nil
}

// sinusoidFrequencies returns 10000^(−2c/width) for c < width/2.
func sinusoidFrequencies(width int) ([]float64, error) {
	if width%2 != 0 {
		return nil, fmt.Errorf("d_model %d must be even: features come in pairs of a sine and a cosine", width)
	}
	return frequencies(10000, width), nil
}

// frequencies are base^(−2c/width) for c < width/2.
func frequencies(base float64, width int) []float64 {
	return lists.Make(width/2, func(c int) float64 { return math.Pow(base, -2*float64(c)/float64(width)) })
}

// amplitudeWeight is the learned amplitude, [1].
const amplitudeWeight = "sinusoidal.amplitude"

// Params implements Encoding: the amplitude where it is learned.
func (e sinusoidal) Params() []Param {
	if !e.learned {
		return nil
	}
	return []Param{{Name: amplitudeWeight, Shape: []int{1}, Mean: e.amplitude}}
}

// Embed implements Encoding: x + p(pos).
func (e sinusoidal) Embed(s *Site, x *graph.Node) *graph.Node {
	pos := s.B.Unsqueeze(s.B.Cast(s.Positions(), tensor.Float32), 2) // [B,T,1]
	angle := s.B.Mul(pos, constant(s.B, e.freq, 1, 1, len(e.freq)))  // [B,T,D/2]
	waves := s.B.Concat(2, s.B.Sin(angle), s.B.Cos(angle))
	if e.interleaved {
		sin, cos := s.B.Unsqueeze(s.B.Sin(angle), 3), s.B.Unsqueeze(s.B.Cos(angle), 3)
		waves = s.B.Reshape(s.B.Concat(3, sin, cos), x.Shape...) // from [B,T,D/2,2]
	}
	switch {
	case e.learned:
		waves = s.B.Mul(waves, s.Param(amplitudeWeight))
	case e.amplitude != 1:
		waves = s.B.Mul(waves, s.B.Float(e.amplitude))
	}
	return s.B.Add(x, waves)
}
