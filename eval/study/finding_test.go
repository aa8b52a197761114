package study_test

import (
	"math"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/study"
)

// contender has correct of n at the lengths 10, 20, …, and the same number of
// tokens right in percent.
func contender(name string, n int, correct []int, tokens ...float64) study.Contender {
	k := study.Contender{Name: name, Trained: [2]int{2, 20}, Exact: map[int]study.Cell{}, Tokens: map[int]study.Cell{}}
	for i, right := range correct {
		c := study.Cell{}
		if right >= 0 {
			low, high := eval.Wilson(right, n)
			c = study.Cell{N: n, Accuracy: float64(right) / float64(n), Low: low, High: high, TokenAccuracy: float64(right) / float64(n)}
			if i < len(tokens) {
				c.TokenAccuracy = tokens[i] / 100
			}
		}
		k.Exact[10*(i+1)], k.Tokens[10*(i+1)] = c, c.ByTokens()
	}
	return k
}

func guesser(k study.Contender) study.Contender {
	for length, c := range k.Exact {
		c.Chance = 0.5
		k.Exact[length] = c
	}
	return k
}

func TestFinding(t *testing.T) {
	perfect, half := []int{100, 100, 100}, []int{100, 50, 10}
	for _, tc := range []struct {
		name, want string
		of         []study.Contender
	}{
		{"one", "a goes on to 20 at ≥ 90 % exact match", []study.Contender{contender("a", 100, []int{100, 95, 50})}},
		{"one, to the end", "a goes on to 30 (the longest measured) at ≥ 90 % exact match", []study.Contender{contender("a", 100, perfect)}},
		{"one that falls to nothing", "a goes on to 10 at ≥ 90 % exact match; from 20 on a is at 0 %", []study.Contender{contender("a", 100, []int{95, 0, 0})}},
		{"one that learned nothing", "a stays nowhere at ≥ 90 % exact match", []study.Contender{contender("a", 100, []int{50, 10, 1})}},
		{"one to the end, one not", "a goes on to 30 (the longest measured) at ≥ 90 % exact match, b to 10", []study.Contender{contender("b", 100, half), contender("a", 100, perfect)}},
		{"the zero at the end, told apart by tokens", "nope goes on to 40 at ≥ 90 % exact match, alibi to 20; from 50 on all are at 0 %: tokens right tell alibi (31 %) apart",
			[]study.Contender{contender("nope", 100, []int{100, 100, 100, 95, 0, 0}, 100, 100, 100, 99, 3), contender("alibi", 100, []int{100, 100, 60, 3, 0, 0}, 100, 100, 90, 40, 31)}},
		{"told apart beyond", "all go on to 20 at ≥ 90 % exact match; at 40 exact match tells a (50 %) and b (46 %) apart; at 50 all are at 0 %",
			[]study.Contender{contender("c", 100, []int{100, 95, 60, 9, 0}, 1, 1, 1, 1, math.NaN()), contender("a", 100, []int{100, 99, 60, 50, 0}, 1, 1, 1, 1, math.NaN()), contender("b", 100, []int{100, 100, 61, 46, 0}, 1, 1, 1, 1, math.NaN())}},
		{"zero at one length", "a goes on to 20 at ≥ 90 % exact match, b to 10; at 30 all are at 0 %: tokens right tell b (60 %) apart",
			[]study.Contender{contender("a", 100, []int{100, 95, 0}, 100, 99, 20), contender("b", 100, []int{100, 20, 0}, 100, 60, 60)}},
		{"zero everywhere", "all are at 0 % at every length: tokens right tell a (53 %) and b (45 %) apart",
			[]study.Contender{contender("a", 100, []int{0, 0}, 53), contender("b", 100, []int{0, 0}, 45), contender("c", 100, []int{0, 0}, 3)}},
		{"zero everywhere, tokens alike", "all are at 0 % at every length: tokens right do not tell them apart at n = 20",
			[]study.Contender{contender("a", 20, []int{0, 0}, 13), contender("b", 20, []int{0, 0}, 9)}},
		{"not told apart", "all go on to 30 (the longest measured) at ≥ 90 % exact match: not told apart by exact match at n = 20",
			[]study.Contender{contender("a", 20, []int{20, 20, 20}), contender("b", 20, []int{20, 20, 19})}},
		{"not told apart where it matters", "a goes on to 30 (the longest measured) at ≥ 90 % exact match, b to 20: not told apart by exact match at n = 20",
			[]study.Contender{contender("a", 20, []int{20, 20, 19}), contender("b", 20, []int{20, 20, 17})}},
		{"the best two are not told apart", "a goes on to 30 (the longest measured) at ≥ 90 % exact match, b to 20, c nowhere; a and b are not told apart at n = 20",
			[]study.Contender{contender("a", 20, []int{20, 20, 19}), contender("b", 20, []int{20, 20, 17}), contender("c", 20, []int{2, 2, 2})}},
		{"nobody, and not told apart", "none stays at ≥ 90 % exact match: not told apart by exact match at n = 20", []study.Contender{contender("a", 20, []int{10}), contender("b", 20, []int{11})}},
		{"many", "a goes on to 50 (the longest measured) at ≥ 90 % exact match, b to 40, c to 30, the other 3 to 20 or less",
			[]study.Contender{contender("f", 100, []int{0, 0, 0, 0, 0}), contender("e", 100, []int{100, 0, 0, 0, 0}), contender("d", 100, []int{100, 100, 0, 0, 0}),
				contender("c", 100, []int{100, 100, 100, 0, 0}), contender("b", 100, []int{100, 100, 100, 100, 0}), contender("a", 100, []int{100, 100, 100, 100, 100})}},
		{"many nowhere", "a goes on to 10 (the longest measured) at ≥ 90 % exact match, the other 4 nowhere",
			[]study.Contender{contender("a", 100, []int{100}), contender("b", 100, []int{0}), contender("c", 100, []int{0}), contender("d", 100, []int{0}), contender("e", 100, []int{0})}},
		{"what cannot be taken does not count", "a goes on to 30 (the longest measured) at ≥ 90 % exact match, b to 10",
			[]study.Contender{contender("a", 100, perfect), contender("b", 100, []int{100, 20, -1})}},
		{"guessing", "none stays at ≥ 90 % exact match: not told apart by exact match at n = 100; at chance (50 %) beyond the trained lengths, hence not ranked",
			[]study.Contender{guesser(contender("a", 100, []int{52, 50, 52})), guesser(contender("b", 100, []int{46, 51, 49}))}},
		{"nothing", "nothing could be measured", []study.Contender{contender("a", 100, []int{-1})}},
	} {
		if got := study.Finding(tc.of); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, tc.want)
		}
	}
}

// TestFindingByTokens takes tokens right for exact match, and leaves it at that.
func TestFindingByTokens(t *testing.T) {
	cells := func(at map[int]float64) map[int]study.Cell {
		out := map[int]study.Cell{}
		for length, right := range at {
			out[length] = study.Cell{N: 100, TokenAccuracy: right}.ByTokens()
		}
		return out
	}
	of := []study.Contender{
		{Name: "nope", Trained: [2]int{2, 20}, Exact: cells(map[int]float64{20: 1, 40: 0, 60: 0}), Tokens: cells(map[int]float64{20: 1, 40: 0.3, 60: 0})},
		{Name: "rope", Trained: [2]int{2, 20}, Exact: cells(map[int]float64{20: 1, 40: 0, 60: 0}), Tokens: cells(map[int]float64{20: 1, 40: 0.8, 60: 0})},
	}
	const want = "all go on to 20 at ≥ 90 % tokens right; at 40 tokens right tell rope (80 %) apart; at 60 all are at 0 %"
	if got := study.FindingByTokens(of); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if of[0].Tokens == nil {
		t.Error("the contenders were changed")
	}
}
