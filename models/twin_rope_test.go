package models_test

import (
	"encoding/json"
	"math"
)

// twinRoPE are the settings that the twin knows.
type twinRoPE struct {
	Theta     float64   `json:"theta"`
	P         float64   `json:"p"`
	Fraction  float64   `json:"fraction"`
	Layout    string    `json:"layout"`
	Scaling   string    `json:"scaling"`
	Ramp      string    `json:"scaling_ramp"`
	Factor    float64   `json:"scaling_factor"`
	Length    float64   `json:"scaling_length"`
	Slow      float64   `json:"scaling_slow"`
	Fast      float64   `json:"scaling_fast"`
	Attention float64   `json:"scaling_attention"`
	Short     []float64 `json:"scaling_short"`
	Long      []float64 `json:"scaling_long"`
}

// scaled returns the frequency of pair c of width features in a text of n tokens, as modeling_rope_utils.py of
// transformers computes it.
func (p twinRoPE) scaled(freq float64, c, width, n int) float64 {
	switch p.Scaling {
	case "yarn": // linear in the pairs
		pair := func(turns float64) float64 {
			return float64(width) * math.Log(p.Length/(turns*2*math.Pi)) / (2 * math.Log(p.Theta))
		}
		low, high := math.Max(math.Floor(pair(32)), 0), math.Min(math.Ceil(pair(1)), float64(width-1))
		if low == high {
			high += 0.001
		}
		ramp := math.Min(math.Max((float64(c)-low)/(high-low), 0), 1)
		return freq/p.Factor*ramp + freq*(1-ramp)
	case "llama3":
		wavelength := 2 * math.Pi / freq
		switch {
		case wavelength < p.Length/p.Fast:
			return freq
		case wavelength > p.Length/p.Slow:
			return freq / p.Factor
		}
		smooth := (p.Length/wavelength - p.Slow) / (p.Fast - p.Slow)
		return (1-smooth)*freq/p.Factor + smooth*freq
	case "dynamic": // a base of θ·growth^(w/(w−2)); constants are float32 in the graph
		growth := p.Factor*math.Max(float64(n), p.Length)/p.Length - (p.Factor - 1)
		return float64(float32(freq)) * math.Pow(growth, float64(float32(-2*float64(c)/float64(width-2))))
	case "longrope":
		if float64(n) > p.Length {
			return freq / p.Long[c]
		}
		return freq / p.Short[c]
	}
	return freq
}

func init() {
	twins["rope"] = func(w *twin) {
		p := twinRoPE{Theta: 10000, P: 1, Fraction: 1}
		if w.faithful() {
			p.Fraction, p.Layout = 0.25, "interleaved"
		}
		if len(w.cfg.EncodingParams) > 0 {
			if err := json.Unmarshal(w.cfg.EncodingParams, &p); err != nil {
				panic(err)
			}
		}
		sharp := math.Max(p.Attention, 1)
		if p.Scaling == "yarn" && p.Attention == 0 {
			sharp = float64(float32(0.1*math.Log(p.Factor) + 1))
		}
		w.rotate = func(x []float64, pos int) []float64 {
			y := append([]float64(nil), x...)
			width := int(p.Fraction * float64(len(x)))
			for c := range width / 2 {
				if float64(c) >= p.P*float64(width/2) {
					break // the lower frequencies stay
				}
				i, j := c, c+width/2
				if p.Layout == "interleaved" {
					i, j = 2*c, 2*c+1
				}
				freq := p.scaled(math.Pow(p.Theta, -2*float64(c)/float64(width)), c, width, w.length)
				if p.Scaling != "dynamic" { // the graph has them as float32 constants
					freq = float64(float32(freq))
				}
				sin, cos := math.Sincos(float64(pos) * freq)
				y[i], y[j] = sharp*(x[i]*cos-x[j]*sin), sharp*(x[j]*cos+x[i]*sin)
			}
			return y
		}
	}
}
