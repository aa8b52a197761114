package verify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime"
)

// mostAnswered is how many new tokens answers are compared for at most.
const mostAnswered = 32

// loopedParity compares the answers of a looped file with the answers of the file
// that is run step by step, both in ONNX Runtime, to random prompts of 1, 4 and 8 times the
// trained length, padded ones among them. They must be the same tokens, but where two are as
// probable as rounding can tell: worst is the largest difference of such a pair, relative as
// in parity, and more than Tolerance is an error.
func loopedParity(ctx context.Context, steps, answers opener) (worst float64, err error) {
	type answered struct {
		prompts, given [][]int64
		fresh          int
	}
	var all []answered
	generate := func(s *runtime.Session, a answered) ([][]int64, error) {
		return runtime.Tokens(s.Generate(ctx, a.prompts, runtime.GenerateOptions{MaxNew: a.fresh}))
	}
	err = answers.use(func(s *runtime.Session) error {
		info := s.Info() // ids of its tokenizer, which both take
		trained, err := trainedTokens(info.Card)
		if err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for _, factor := range lengthFactors {
			n, fresh := factor*trained, min(trained, mostAnswered)
			if most := info.Card.MaxLength; most > 0 {
				fresh = min(fresh, most)
				n = min(n, most-fresh+1) // the last token has no position
			}
			a := answered{prompts: [][]int64{randomIDs(rng, n, info.VocabSize), randomIDs(rng, n-n/3, info.VocabSize)}, fresh: fresh}
			if a.given, err = generate(s, a); err != nil {
				return err
			}
			all = append(all, a)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	err = steps.use(func(s *runtime.Session) error {
		for _, a := range all {
			want, err := generate(s, a)
			if err != nil {
				return err
			}
			for i, prompt := range a.prompts {
				gap, err := divergence(ctx, s, prompt, want[i], a.given[i])
				if err != nil {
					return err
				}
				if !(gap <= Tolerance) {
					return fmt.Errorf("to a prompt of %d tokens it answers %v, and the file that is run step by step %v, "+
						"whose tokens differ by %.3g in their logits", len(prompt), a.given[i], want[i], gap)
				}
				worst = max(worst, gap)
			}
		}
		return nil
	})
	return worst, err
}

// divergence returns by how much the logits of two answers' tokens differ where the answers
// part, relative as in parity; 0 where they do not.
func divergence(ctx context.Context, s *runtime.Session, prompt, want, got []int64) (float64, error) {
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	if at == len(want) && at == len(got) {
		return 0, nil
	}
	if at == len(want) || at == len(got) {
		return math.Inf(1), nil // the same tokens up to an end that only one of them has
	}
	all, err := s.Logits(ctx, [][]int64{append(prompt[:len(prompt):len(prompt)], want[:at]...)})
	if err != nil {
		return 0, err
	}
	data := tensor.Data[float32](all[0])
	last := data[len(data)-s.Info().VocabSize:]
	a, b := float64(last[want[at]]), float64(last[got[at]])
	return math.Abs(a-b) / max(1, math.Abs(a)), nil
}
