package pe_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/models/pe"
)

// turnedBy returns by how much each pair of a head turns in one token, in radians, and the
// factor that its length got.
func turnedBy(t *testing.T, settings string, head int) (angles []float64, length float64) {
	t.Helper()
	x := make([]float32, head)
	for c := range head / 2 {
		x[c] = 1
	}
	y := rotated(t, settings, x, head, []int64{1}, false)
	for c := range head / 2 {
		a, b := y[c], y[c+head/2]
		angles, length = append(angles, math.Atan2(b, a)), math.Hypot(a, b)
	}
	return angles, length
}

// By hand, for four pairs with the frequencies 1, 0.1, 0.01 and 0.001. In 628.3185 tokens
// they turn 100, 10, 1 and 0.1 times: with 4 and 40 turns as bounds, γ is 1, 1/6, 0, 0.
// 1e-7 is the rounding of float32.
func TestRoPEScalingValues(t *testing.T) {
	for settings, want := range map[string][]float64{
		`{"scaling":"pi","scaling_factor":4}`:  {0.25, 0.025, 0.0025, 0.00025},
		`{"scaling":"ntk","scaling_factor":8}`: {1, 0.05, 0.0025, 0.000125}, // 8^(−c/3)
		`{"scaling":"yarn","scaling_factor":4,"scaling_length":628,"scaling_slow":4,"scaling_fast":40}`: {
			1, 0.1 * (0.25 + 0.75*5.9949/36), 0.0025, 0.00025},
	} {
		got, length := turnedBy(t, settings, 8)
		near(t, settings, got, want, 1e-6)
		sharper := 1.0
		if strings.Contains(settings, "yarn") {
			sharper = 1.2964766 // (1 + 0.1·ln 4)²
		}
		if math.Abs(length-sharper) > 1e-6 {
			t.Errorf("%s: queries are multiplied by %v, want %v", settings, length, sharper)
		}
	}
}

// The base that NTK-aware scaling is known by: for heads of 128 features and a factor of
// 8 the base 10000 becomes 82,684.
func TestNTKBase(t *testing.T) {
	got, _ := turnedBy(t, `{"scaling":"ntk","scaling_factor":8}`, 128)
	for c, angle := range got {
		if want := math.Pow(82684, -2*float64(c)/128); math.Abs(angle/want-1) > 1e-5 {
			t.Errorf("pair %d turns by %v, want %v", c, angle, want)
		}
	}
}

// At lengths that are short for the paper's 32 turns, yarn leaves the fastest pair as it is
// and divides those that do not turn once; at long ones it has the paper's bounds.
func TestYaRNDefaults(t *testing.T) {
	at := func(length int, more string) []float64 {
		got, _ := turnedBy(t, fmt.Sprintf(`{"scaling":"yarn","scaling_factor":4,"scaling_length":%d%s}`, length, more), 8)
		return got
	}
	short := at(43, "")
	if math.Abs(short[0]-1) > 1e-6 || math.Abs(short[1]-0.025) > 1e-6 {
		t.Errorf("at 43 tokens the pairs turn by %v", short)
	}
	if !slices.Equal(at(4096, ""), at(4096, `,"scaling_slow":1,"scaling_fast":32`)) {
		t.Error("at 4096 tokens the bounds are not 1 and 32")
	}
	if got := at(3, ""); math.Abs(got[0]-0.25) > 1e-6 {
		t.Errorf("at 3 tokens, not half a turn, the fastest pair turns by %v", got[0])
	}
}

// What transformers computes with the settings of Qwen2.5 and of a Llama: by how much a pair in the
// middle of the ramp is divided. The paper's ramp divides it by more. 0.005 is the printed precision.
func TestYaRNRamps(t *testing.T) {
	for _, tc := range []struct {
		theta               float64
		head, length, pair  int
		byPairs, paperTurns float64
	}{
		{1e6, 128, 32768, 31, 1.55, 2.62}, {1e4, 64, 2048, 14, 1.53, 2.73},
	} {
		at := func(more string) float64 {
			got, _ := turnedBy(t, fmt.Sprintf(`{"theta":%v,"scaling":"yarn","scaling_factor":4,"scaling_length":%d%s}`,
				tc.theta, tc.length, more), tc.head)
			return math.Pow(tc.theta, -2*float64(tc.pair)/float64(tc.head)) / got[tc.pair]
		}
		if by := at(`,"scaling_ramp":"pairs"`); math.Abs(by-tc.byPairs) > 0.005 {
			t.Errorf("%+v: divided by %v", tc, by)
		}
		if by := at(""); math.Abs(by-tc.paperTurns) > 0.005 {
			t.Errorf("%+v: divided by %v with the paper's ramp", tc, by)
		}
	}
}

// The two ramps of yarn give different models: the numbers of docs/encodings.md.
func TestYaRNRampsDiffer(t *testing.T) {
	at := func(more string) []float64 {
		got, _ := turnedBy(t, `{"scaling":"yarn","scaling_factor":16,"scaling_length":4096`+more+`}`, 128)
		return got
	}
	paper, most, differ := at(""), 1.0, 0
	for c, by := range at(`,"scaling_ramp":"pairs"`) {
		ratio := math.Max(by/paper[c], paper[c]/by)
		if most = max(most, ratio); ratio > 1.05 {
			differ++
		}
	}
	if differ != 24 || math.Abs(most-3.04) > 0.005 {
		t.Errorf("%d pairs differ by more than 5 %%, up to a factor of %v", differ, most)
	}
}

// The ramp ends at whole pairs, the first not before 0: of four pairs and base 10000, 43 tokens turn pair 0
// less than 32 times and pair 1 less than once; 9 and 6 tokens turn no pair twice; 10⁶ tokens turn
// pair 3 as the ramp begins, at ⌊3.7⌋, and 10⁵ from the pair ⌊2.7⌋ to ⌈4.2⌉ on.
func TestYaRNEnds(t *testing.T) {
	for length, want := range map[int][]float64{
		43: {1, 0.025, 0.0025, 0.00025}, 9: {1, 0.025, 0.0025, 0.00025}, 6: {1, 0.025, 0.0025, 0.00025},
		1_000_000: {1, 0.1, 0.01, 0.001}, 100_000: {1, 0.1, 0.01, 0.001 * (2.0/3 + 0.25/3)},
	} {
		got, _ := turnedBy(t, fmt.Sprintf(`{"scaling":"yarn","scaling_ramp":"pairs","scaling_factor":4,"scaling_length":%d}`, length), 8)
		near(t, fmt.Sprint(length, " tokens"), got, want, 1e-6)
	}
}

// The factor of the logits is the factor of the features that turn, in queries and in keys; the others, and the
// frequencies that stay, keep their length. The fused operator computes the same.
func TestYaRNSharpness(t *testing.T) {
	root := 0.1*math.Log(4) + 1
	for settings, want := range map[string][]float64{
		`{"scaling":"yarn","scaling_ramp":"pairs","scaling_factor":4,"scaling_length":43}`:                {root, root, root, root, root, root, root, root},
		`{"scaling":"yarn","scaling_ramp":"pairs","scaling_factor":4,"scaling_length":43,"fraction":0.5}`: {root, root, root, root, 1, 1, 1, 1},
		`{"scaling":"yarn","scaling_ramp":"pairs","scaling_factor":4,"scaling_length":43,"p":0.5}`:        {root, root, 1, 1, root, root, 1, 1},
	} {
		for i := range 8 {
			x := make([]float32, 8)
			x[i] = 1
			plain := rotated(t, settings, x, 8, []int64{5}, false)
			length := 0.0
			for _, v := range plain {
				length += v * v
			}
			if math.Abs(math.Sqrt(length)-want[i]) > 1e-6 {
				t.Errorf("%s: feature %d gets the length %v, want %v", settings, i, math.Sqrt(length), want[i])
			}
			near(t, settings+", fused", rotated(t, settings, x, 8, []int64{5}, true), plain, 1e-7)
		}
	}
}

// A factor of 1 changes no bit.
func TestRoPEScalingIdentity(t *testing.T) {
	plain, one := turnedBy(t, `{}`, 64)
	for _, settings := range []string{`{"scaling":"pi","scaling_factor":1}`, `{"scaling":"ntk","scaling_factor":1}`,
		`{"scaling":"yarn","scaling_factor":1,"scaling_length":43}`,
		`{"scaling":"yarn","scaling_ramp":"pairs","scaling_factor":1,"scaling_length":43}`} {
		if got, length := turnedBy(t, settings, 64); !slices.Equal(got, plain) || length != one {
			t.Errorf("%s changes the angles, or the length to %v", settings, length)
		}
	}
}

func TestRoPEScalingErrors(t *testing.T) {
	row, err := pe.Find("rope")
	if err != nil {
		t.Fatal(err)
	}
	for settings, want := range map[string]string{
		`{"scaling":"ntk2","scaling_factor":2}`:                                                        `scaling "ntk2" is unknown; use pi, ntk, dynamic, yarn, yarn-paper, llama3, longrope`,
		`{"scaling":"llama3","scaling_factor":2}`:                                                      "scaling_length 0: llama3 counts in it",
		`{"scaling":"longrope","scaling_length":9}`:                                                    "scaling_short has 0 numbers and scaling_long 0; want 4",
		`{"scaling":"longrope","scaling_length":9,"scaling_factor":2}`:                                 "scaling_factor 2: longrope has a list",
		`{"scaling_short":[1,1,1,1]}`:                                                                  "scaling_short has 4 numbers and scaling_long 0; want 0",
		`{"scaling":"pi","scaling_factor":2,"scaling_attention":2}`:                                    `scaling_attention 2 with scaling "pi"`,
		`{"scaling":"longrope","scaling_length":9,"scaling_short":[1,1,1,0],"scaling_long":[1,1,1,1]}`: "scaling_short and scaling_long: 0",
		`{"scaling":"pi"}`:                      "scaling_factor 0: want 1 to",
		`{"scaling":"pi","scaling_factor":0.5}`: "scaling_factor 0.5",
		`{"scaling_factor":2}`:                  "scaling itself is missing",
		`{"scaling":"yarn","scaling_factor":2}`: "scaling_length 0",
		`{"scaling":"yarn","scaling_ramp":"turns","scaling_factor":2,"scaling_length":9}`: `scaling_ramp "turns" with scaling "yarn"`,
		`{"scaling":"pi","scaling_ramp":"pairs","scaling_factor":2}`:                      `scaling_ramp "pairs" with scaling "pi"`,
		`{"scaling":"ntk","scaling_factor":2,"fraction":0.25}`:                            "needs two pairs",
		`{"scaling":"yarn","scaling_factor":2,"scaling_length":9,` +
			`"scaling_slow":3,"scaling_fast":2}`: "scaling_slow 3 and scaling_fast 2",
	} {
		_, err := row.Make.New(pe.Dims{Model: 8, Heads: 1, Head: 8, Layers: 1}, []byte(settings))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one about %s", settings, err, want)
		}
	}
}
