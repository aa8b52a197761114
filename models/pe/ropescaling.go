package pe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// ropeScaling changes the frequencies ω_c of the n pairs that RoPE rotates, so that a
// sequence of s·L tokens turns them about as far as one of L did in training. It needs no
// training of its own, but the papers train on for a while. Scaling is, for any model,
//
//	pi      ω_c / s: position interpolation (Chen et al. 2023, arXiv 2306.15595, equation 4)
//	ntk     the frequencies of the base θ·s^(n/(n−1)): the fastest pair stays, the slowest is
//	        divided by s ("NTK-aware"; Peng et al. 2023, arXiv 2309.00071, section 3.1)
//	yarn    ω_c·(γ + (1−γ)/s), where γ goes from 0 for pairs that turn Slow times or less in
//	        L tokens to 1 for those that turn Fast times or more; and the features that turn
//	        times 0.1·ln s + 1 in queries and keys (YaRN; Peng et al. 2023, sections 3.2 to 3.4)
//
// The ramp of the paper's text is linear in the number of turns. The ramp of the authors' code, of
// transformers and of llama.cpp is linear in c, which is to say in the logarithm of the turns, from
// the pair ⌊c(Fast)⌋ to the pair ⌈c(Slow)⌉, where c(r) = w·ln(L/2πr)/(2·ln θ) is the pair of the w
// features that turns r times. Both divide the same pairs wholly, and differ between: with heads of 128 features and L = 4096
// by a factor of up to 1.7 at s = 4. At s = 16, 24 of 64 frequencies differ there by more than 5 %, up to a factor
// of 3. With the paper's ramp, all of the queries is multiplied, by the square.
//
// Configurations of pretrained models (transformers, modeling_rope_utils.py) have three more, of which dynamic is one of any model:
//
//	llama3    yarn's frequencies with the ramp of turns, without the factor (Llama 3.1; Slow 1, Fast 4)
//	dynamic   ntk with s·n/L − (s−1) in s's place, where n > L tokens are in the text so far; up to L nothing
//	          changes. n grows with the text, and keys that are cached keep the frequencies of then.
//	longrope  ω_c over one of two lists of factors, Short up to L tokens and Long above (Ding et al. 2024,
//	          arXiv 2402.13753), and the features that turn times Attention
type ropeScaling struct {
	Scaling string `json:"scaling,omitempty" about:"pi, ntk, dynamic, yarn, yarn-paper, llama3 or longrope; absent: none"`
	// Ramp "pairs" is yarn's ramp that is linear in c. It is stored with new configurations; absent,
	// yarn has the paper's ramp. As a value of Scaling, yarn-paper names the latter.
	Ramp   string  `json:"scaling_ramp,omitempty" about:"pairs: yarn's ramp is linear in the pair; absent: the paper's"`
	Factor float64 `json:"scaling_factor,omitempty" about:"s, at least 1; 1 changes nothing"`
	Length int     `json:"scaling_length,omitempty" about:"L, in tokens, which yarn needs"`
	// Slow and Fast are yarn's α and β in turns. Slow is 1 by default; Fast 32, as in the
	// paper. With the paper's ramp Fast is the turns of the fastest pair where L is so short that
	// it turns less often (200 tokens): with 32, not even that pair would stay as it is.
	Slow float64 `json:"scaling_slow,omitempty" about:"yarn's α, in turns; default 1"`
	Fast float64 `json:"scaling_fast,omitempty" about:"yarn's β, in turns; default 32"`
	// Attention is what the features that turn are multiplied by, in queries and in keys: of longrope, and in place of
	// yarn's 0.1·ln s + 1 where the ramp is linear in c.
	Attention float64 `json:"scaling_attention,omitempty" about:"multiplies the features that turn, in queries and in keys"`
}

// ScalingMethods are what RoPEScaling.Scaling can be of any model.
var ScalingMethods = []string{"pi", "ntk", dynamic, yarn, paperYarn}

// scalings are all methods.
var scalings = append(slices.Clone(ScalingMethods), llama3, longRoPE)

const (
	yarn      = "yarn"
	paperYarn = "yarn-paper"
	pairsRamp = "pairs"
	llama3    = "llama3"
	dynamic   = "dynamic"
	longRoPE  = "longrope"
)

// renewed is the stored form of what a new configuration says.
func (p ropeScaling) renewed() ropeScaling {
	switch {
	case p.Scaling == paperYarn && p.Ramp == "":
		p.Scaling = yarn
	case p.Scaling == yarn && p.Ramp == "":
		p.Ramp = pairsRamp
	}
	return p
}

// renewRoPE is RoPE's Row.Renew: yarn has the ramp of the authors' code.
func renewRoPE(settings json.RawMessage) (json.RawMessage, error) {
	p, err := parse[ropeSettings](settings)
	if err != nil {
		return nil, err
	}
	scaling := p.ropeScaling.renewed()
	if scaling == p.ropeScaling {
		return settings, nil
	}
	p.ropeScaling = scaling
	return json.Marshal(p)
}

// maxScaling bounds s: a guard against typing slips.
const maxScaling = 1 << 20

// scaleRoPE is RoPE's Row.Scale.
func scaleRoPE(settings json.RawMessage, method string, factor float64, trained func() (int, error)) (json.RawMessage, error) {
	p, err := parse[ropeSettings](settings)
	if err != nil {
		return nil, err
	}
	if p.Scaling != "" {
		return nil, fmt.Errorf("%s:%v: the model's frequencies have the scaling %s already, and a second is not put on it",
			method, factor, p.Scaling)
	}
	p.ropeScaling = ropeScaling{Scaling: method, Factor: factor}.renewed()
	if p.Scaling == yarn || p.Scaling == dynamic {
		if p.Length, err = trained(); err != nil {
			return nil, err
		}
	}
	return json.Marshal(p)
}

// resolve fills in the defaults and checks the settings.
func (p ropeScaling) resolve(pairs int) (ropeScaling, error) {
	if p.Scaling == "" {
		if p != (ropeScaling{}) {
			return p, fmt.Errorf("there are settings of a scaling, and scaling itself is missing; want %s",
				strings.Join(scalings, ", "))
		}
		return p, nil
	}
	if p.Scaling == paperYarn && p.Ramp == "" {
		p.Scaling = yarn
	}
	turns := float64(p.Length) / (2 * math.Pi) // of the fastest pair
	p.Slow = cmp.Or(p.Slow, 1)
	if p.Ramp == pairsRamp {
		turns = math.Inf(1)
	}
	if p.Scaling == llama3 {
		turns = 4
	}
	p.Fast = cmp.Or(p.Fast, min(32, max(turns, 2*p.Slow)))
	switch {
	case p.Ramp != "" && (p.Ramp != pairsRamp || p.Scaling != yarn):
		return p, fmt.Errorf("scaling_ramp %q with scaling %q: want %q with %s, or leave it out", p.Ramp, p.Scaling, pairsRamp, yarn)
	case !slices.Contains(scalings, p.Scaling):
		return p, fmt.Errorf("scaling %q is unknown; use %s", p.Scaling, strings.Join(scalings, ", "))
	case p.Scaling == longRoPE && p.Factor != 0:
		return p, fmt.Errorf("scaling_factor %v: longrope has a list of factors instead; leave it out", p.Factor)
	case p.Scaling != longRoPE && !(p.Factor >= 1 && p.Factor <= maxScaling):
		return p, fmt.Errorf("scaling_factor %v: want 1 to %d", p.Factor, maxScaling)
	case (p.Scaling == "ntk" || p.Scaling == dynamic) && pairs < 2:
		return p, fmt.Errorf("scaling %s needs two pairs at least; with one, use pi", p.Scaling)
	case slices.Contains([]string{yarn, llama3, dynamic, longRoPE}, p.Scaling) && p.Length < 1:
		return p, fmt.Errorf("scaling_length %d: %s counts in it; want the tokens of the longest sequence in training",
			p.Length, p.Scaling)
	case p.Attention != 0 && (p.Scaling != longRoPE && p.Ramp == "" || !(p.Attention > 0 && p.Attention <= maxScaling)):
		return p, fmt.Errorf("scaling_attention %v with scaling %q: want a positive number with longrope, or with yarn and a ramp",
			p.Attention, p.Scaling)
	case !(p.Slow > 0 && p.Fast > p.Slow):
		return p, fmt.Errorf("scaling_slow %v and scaling_fast %v: want 0 < slow < fast", p.Slow, p.Fast)
	}
	return p, nil
}

// multiplier returns what the frequency of pair c of n is multiplied by, with the base θ.
func (p ropeScaling) multiplier(freq, theta float64, c, n int) float64 {
	switch p.Scaling {
	case "pi":
		return 1 / p.Factor
	case "ntk":
		return math.Pow(p.Factor, -float64(c)/float64(n-1))
	case yarn, llama3:
		turns := float64(p.Length) * freq / (2 * math.Pi)
		stays := min(max((turns-p.Slow)/(p.Fast-p.Slow), 0), 1)
		if p.Ramp == pairsRamp {
			stays = p.ramp(theta, c, n)
		}
		return stays + (1-stays)/p.Factor
	}
	return 1
}

// ramp is γ of pair c of n where it is linear in c: 1 up to ⌊c(Fast)⌋, 0 from ⌈c(Slow)⌉ on. The
// upper bound is 2n−1 and not n−1, as transformers has it.
func (p ropeScaling) ramp(theta float64, c, n int) float64 {
	pair := func(turns float64) float64 {
		return float64(n) * math.Log(float64(p.Length)/(2*math.Pi*turns)) / math.Log(theta)
	}
	first, last := max(math.Floor(pair(p.Fast)), 0), min(math.Ceil(pair(p.Slow)), float64(2*n-1))
	if first == last {
		last += 0.001
	}
	return 1 - min(max((float64(c)-first)/(last-first), 0), 1)
}

// sharpness is what the features that turn are multiplied by, in queries and in keys.
func (p ropeScaling) sharpness() float64 {
	if p.Scaling == yarn && p.Attention == 0 {
		return 0.1*math.Log(p.Factor) + 1
	}
	return cmp.Or(p.Attention, 1)
}

// sharpensQueries reports whether all of a query is multiplied, by the square, in place of the features that turn.
func (p ropeScaling) sharpensQueries() bool { return p.Scaling == yarn && p.Ramp == "" }
