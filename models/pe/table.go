package pe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/suggest"
)

// Row describes one encoding of the table.
type Row struct {
	Name    string
	Formula string // for people, in plain text
	Source  string // paper
	Cost    string // what it computes besides NoPE, for people
	// Paper are the settings of Kazemnejad et al. 2023 where they differ from
	// the defaults.
	Paper json.RawMessage
	// AlsoCalled are names in use that are not accepted, because they differ from
	// one community to the next or fit several rows.
	AlsoCalled []string
	Make       maker // see With
	// Scale puts a scaling of its frequencies into the settings; nil where there are none.
	Scale scaleFunc
	// Fit fills in the settings that follow from what is trained on, where they are not
	// given; nil where there are none. Run and card keep them.
	Fit func(settings json.RawMessage, d Data) (json.RawMessage, error)
	// Renew fills in the defaults of new configurations, where settings that are absent in a
	// stored one have an older meaning; nil where there are none.
	Renew func(settings json.RawMessage) (json.RawMessage, error)
}

// scaleFunc scales by one of ScalingMethods and its factor. trained returns the tokens of the longest sequence
// in training, which yarn alone needs.
type scaleFunc = func(settings json.RawMessage, method string, factor float64, trained func() (int, error)) (json.RawMessage, error)

// maker makes an encoding.
type maker struct {
	Settings []setting // that New takes, under their names in JSON
	// New makes the encoding for the given sizes from a JSON object of its own
	// settings, or from nothing for the defaults.
	New func(d Dims, settings json.RawMessage) (Encoding, error)
}

// setting is one of an encoding's own settings.
type setting struct {
	Name  string `json:"name"`  // below model.encoding_params
	About string `json:"about"` // for people, with the default
}

// Data is what a model is trained on, as far as settings follow from it.
type Data struct {
	Longest int      // tokens of the longest sequence
	Pieces  []string // the vocabulary, in the order of the ids
}

// Table lists every encoding: this package's, where adding one takes its file,
// its test and a row, and after them what was registered.
func Table() []Row {
	return append([]Row{
		{Name: "nope", Formula: "q·k", Source: "Kazemnejad et al. 2023, arXiv 2305.19466",
			AlsoCalled: []string{"none"},
			Cost:       "nothing", Make: With(newNoPE)},
		{Name: "rope", Formula: "(R_t q)·(R_j k)", Source: "Su et al. 2021, arXiv 2104.09864",
			Paper:      json.RawMessage(`{"fraction":0.25,"layout":"interleaved"}`),
			AlsoCalled: []string{"rotary"},
			Scale:      scaleRoPE, Renew: renewRoPE,
			Cost: "a rotation of each query and key", Make: With(newRoPE)},
		{Name: "alibi", Formula: "q·k − m_h(t−j)", Source: "Press et al. 2021, arXiv 2108.12409",
			Cost: "an addition for each pair", Make: With(newALiBi)},
		{Name: "sinusoidal", Formula: "x_t + (sin tω, cos tω)", Source: "Vaswani et al. 2017, arXiv 1706.03762",
			Paper:      json.RawMessage(`{"layout":"halves","amplitude":1}`),
			AlsoCalled: []string{"absolute", "ape"},
			Cost:       "an addition for each token", Make: With(newSinusoidal), Renew: renewSinusoidal},
		{Name: "learned", Formula: "x_t + P_t", Source: "Gehring et al. 2017, arXiv 1705.03122",
			Paper:      json.RawMessage(`{"max_length":2048,"init_std":1}`),
			AlsoCalled: []string{"absolute", "ape"},
			Cost:       "an addition for each token", Make: With(newLearned)},
		{Name: "t5", Formula: "q·k + w_h[bucket(t−j)]", Source: "Raffel et al. 2020, arXiv 1910.10683",
			AlsoCalled: []string{"relative"},
			Cost:       "a look-up and an addition for each pair", Make: With(newT5)},
		{Name: "txl", Formula: "(q+u)·k + (q+v)·W_r r_(t−j)", Source: "Dai et al. 2019, arXiv 1901.02860",
			Paper:      json.RawMessage(`{"init_std":0.2,"scaled_projection":true,"drop_distances":true}`),
			AlsoCalled: []string{"relative"},
			Cost:       "a second product of queries with the keys of distances", Make: With(newTransformerXL)},
		{Name: "alibi-learned", Formula: "q·k − e^(a_h)(t−j)", Source: "Kazemnejad et al. 2023, arXiv 2305.19466",
			Paper: json.RawMessage(`{"decay":true}`),
			Cost:  "an addition for each pair", Make: With(newLearnedALiBi)},
		{Name: "hard-alibi", Formula: "q·k where t−j ≤ h or h ≥ m", Source: "Jelassi et al. 2024, arXiv 2402.01032",
			Cost: "an addition for each pair", Make: With(newHardALiBi)},
		{Name: "nape", Formula: "q·k − (t−j)/(h+1) where h < m", Source: "Vasylenko et al. 2025, arXiv 2506.16640",
			Cost: "an addition for each pair", Make: With(newNAPE)},
		{Name: "sandwich", Formula: "q·k + Σ_k cos((t−j)ω_k)·H/8(h+1)", Source: "Chi et al. 2022, arXiv 2212.10356",
			Cost: "64 cosines for each distance, an addition for each pair", Make: With(newSandwich)},
		{Name: "xpos", Formula: "(R_t q)·ζ^((t−j)/B)(R_j k)", Source: "Sun et al. 2022, arXiv 2212.10554",
			Cost: "a rotation and a scaling of each query and key", Make: With(newXPos)},
		{Name: "pope", Formula: "Σ_c sp(q_c)·sp(k_c)·cos((t−j)ω_c − δ_hc), sp = softplus",
			Source: "Gopalakrishnan et al. 2025, arXiv 2509.10534",
			Cost:   "sines and cosines of each feature, products twice as wide", Make: With(newPoPE)},
		{Name: "selective-rope", Formula: "(R_(Φ_t) q)·(R_(Φ_j) k), Φ_t = Σ φ(x_l), l = 1 … t",
			Source: "Movahedi et al. 2025, arXiv 2511.17388",
			Cost:   "angles of each token, and a rotation of each query and key", Make: With(newSelectiveRoPE)},
		{Name: "kerple", Formula: "q·k − r_1 ln(1 + r_2(t−j))", Source: "Chi et al. 2022, arXiv 2205.09921",
			Cost: "a logarithm and an addition for each pair", Make: With(newKERPLE)},
		{Name: "fire", Formula: "q·k + f_h(ψ(t−j)/ψ(max(t, L0)))", Source: "Li et al. 2023, arXiv 2310.04418",
			Cost: "a network 1→32→H for each pair, once for all layers", Make: With(newFIRE), Fit: fitFIRE},
		{Name: "fox", Formula: "q·k + Σ log f_l, l = j+1 … t, f_l = σ(w_h·x_l + β_h)",
			Source:     "Lin et al. 2025, arXiv 2503.02130",
			AlsoCalled: []string{"cable"}, // with init zero, arXiv 2503.08067
			Cost:       "a gate for each token, and an addition for each pair", Make: With(newFoX)},
		{Name: "stick-breaking", Formula: "weights σ(z_tj)·Π (1 − σ(z_tk)), k = j+1 … t−1, z = q·k + c_h",
			Source: "Tan et al. 2025, arXiv 2410.17980",
			Cost:   "two exponentials and a sum for each pair, no softmax", Make: With(newStickBreaking)},
		{Name: "cope", Formula: "q·(k + e[p]), p = Σ σ(q·k_l), l = j … t",
			Source: "Golovneva et al. 2024, arXiv 2405.18719",
			Cost:   "a gate, a sum and two look-ups for each pair", Make: With(newCoPE)},
		{Name: "dape", Formula: "z + b + f([z; b]), z = q·k of all heads, b of alibi or kerple",
			Source: "Zheng et al. 2024, arXiv 2405.14722",
			Cost:   "an MLP over heads for each pair", Make: With(newDAPE)},
		{Name: "swa", Formula: "q·k where t−j < W", Source: "Beltagy et al. 2020, arXiv 2004.05150",
			AlsoCalled: []string{"sliding-window"},
			Cost:       "a copy of W keys and values for each run of tokens", Make: With(newSWA)},
		{Name: "abacus", Formula: "x_t + P_(place of the digit in its number)",
			Source: "McLeish et al. 2024, arXiv 2405.17399",
			Cost:   "a count of digits for each pair, once for all layers", Make: With(newAbacus), Fit: fitAbacus},
	}, registered...)
}

func checkStd(std float64) error {
	if !(std > 0 && std <= 100) {
		return fmt.Errorf("init_std %v: want a positive number up to 100", std)
	}
	return nil
}

// called returns the encodings that a name in use elsewhere can stand for.
func called(name string) (names []string) {
	for _, r := range Table() {
		if slices.Contains(r.AlsoCalled, name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// ErrUnknown means that a name is neither an encoding's nor one in use elsewhere.
var ErrUnknown = errors.New("unknown encoding")

// Find returns the row of a name. A hybrid, a Pattern of encodings over the layers such as
// rope*3/nope, has a row too: its settings are an object with each encoding's under its name.
func Find(name string) (Row, error) {
	if !isHybrid(name) {
		return findOne(name)
	}
	p, err := ParsePattern(name, 0)
	if err != nil {
		return Row{}, fmt.Errorf("encoding: %w", err)
	}
	if len(p) == 1 {
		return findOne(p[0])
	}
	return findHybrid(p)
}

// findOne returns a row of the table.
func findOne(name string) (Row, error) {
	var names []string
	for _, r := range Table() {
		if r.Name == name {
			r.Make = named(name, r.Make)
			return r, nil
		}
		names = append(names, r.Name)
	}
	switch meant := called(name); len(meant) {
	case 0:
		if near := nearestOther(name, names); near != "" {
			return Row{}, fmt.Errorf("unknown encoding %q; did you mean %q, here called %s?", name, near, strings.Join(called(near), " or "))
		}
		unknown := suggest.Unknown("encoding", name, names).Error()
		return Row{}, fmt.Errorf("%w%s", ErrUnknown, strings.TrimPrefix(unknown, ErrUnknown.Error()))
	case 1:
		return Row{}, fmt.Errorf("unknown encoding %q; here it is called %s", name, meant[0])
	default:
		return Row{}, fmt.Errorf("encoding %q could mean %s; name one of them", name, strings.Join(meant, " or "))
	}
}

// nearestOther is the name in use elsewhere that a wrong name is nearest to, or "" where none or one of ours is.
func nearestOther(name string, ours []string) string {
	var others []string
	for _, r := range Table() {
		others = append(others, r.AlsoCalled...)
	}
	near := suggest.Nearest(name, append(ours, others...))
	if slices.Contains(others, near) {
		return near
	}
	return ""
}

// named has errors of a constructor say which encoding they are about.
func named(name string, m maker) maker {
	return maker{m.Settings, func(d Dims, settings json.RawMessage) (Encoding, error) {
		e, err := m.New(d, settings)
		if err != nil {
			return nil, fmt.Errorf("encoding %s: %w", name, err)
		}
		return e, nil
	}}
}
