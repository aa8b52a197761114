package task

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// Probes ask what models of running text may do without having been trained to: induction and
// passkey are written in letters and signs that a model of bytes knows, and what it writes
// behind the answer does not count, as it never ends. Both can be trained, too.
func probe(t Task) Task {
	t.Version = 1
	t.Correct = func(target, generated string) bool {
		return target != "" && strings.HasPrefix(strings.TrimLeft(generated, " "), target)
	}
	return t
}

// inductionSigns are tokens by themselves wherever they stand, in words, characters and bytes alike;
// none of them is in a longer token of another task.
const inductionSigns = "0123456789!#$%&'(),/:;<=>?@^_{|}"

// induction repeats a random sequence of signs, drawn with replacement: its second half is
// told by the first alone, from which an induction head copies (Olsson et al. 2022, In-context
// Learning and Induction Heads, arXiv 2209.11895, whose sequences have 25 tokens). The loss is that of
// the second half, and of the end token behind it.
//
//	~4%}|0 ⏵ 4%}|0
func induction() Task {
	n := float64(len(inductionSigns))
	return probe(Task{
		Name:        "induction",
		Description: "repeat random signs at once, with nothing between; the length is the number of signs",
		Train:       Range{1, 50},
		Beyond:      Range{51, 500},
		Lengths:     Range{1, MaxLength},
		Prefix:      "~",
		Texts:       []string{"~" + inductionSigns},
		Space:       func(length int) float64 { return math.Pow(n, float64(length)) },
		Chance:      func(length int) float64 { return math.Pow(n, -float64(length)) },
		Generate: func(rng *rand.Rand, length int) Sample {
			drawn := lists.Make(length, func(int) byte { return inductionSigns[rng.IntN(len(inductionSigns))] })
			return Sample{Prompt: "~" + string(drawn), Target: string(drawn), Length: length}
		},
		Tokens: func(token func() int64, length int) ([]int64, int) {
			half := (length + 1) / 2
			drawn := make([]int64, half, 2*half)
			for i := range drawn {
				drawn[i] = token()
			}
			return append(drawn, drawn[:length-half]...), half
		},
	})
}

// passkeyFiller is the filler of Mohtashami and Jaggi, in its order.
var passkeyFiller = []string{"The grass is green.", "The sky is blue.", "The sun is yellow.", "Here we go.",
	"There and back again."}

// passkeyKeys are five digits, of which the first is no 0.
const passkeyFirst, passkeyKeys = 10000, 90000

// passkey hides a number of five digits between sentences of filler and asks for it at the end, in
// the words of Mohtashami and Jaggi 2023 (Landmark Attention, arXiv 2305.16300, section 4.2). The place
// is drawn among all. Differences: their introduction is longer, and their filler goes by whole rounds
// of its five sentences.
//
//	There is a pass key in this text. The grass is green. The pass key is 71432. Remember it. 71432 is
//	the pass key. The sky is blue. What is the pass key? The pass key is ⏵ 71432.
func passkey() Task {
	draw := func(key int) secret {
		return secret{
			Facts:    []string{fmt.Sprintf("The pass key is %d. Remember it. %[1]d is the pass key.", key)},
			Question: "What is the pass key?", Lead: "The pass key is", Answer: strconv.Itoa(key),
		}
	}
	h := hidden{Opening: "There is a pass key in this text.", Filler: passkeyFiller, Right: sameNumber,
		Draw: func(rng *rand.Rand) secret { return draw(passkeyFirst + rng.IntN(passkeyKeys)) }}
	some := draw(12345)
	return hide(Task{
		Name:        "passkey",
		Description: "find a number that is hidden in filler; the length is the number of sentences of filler",
		Texts: []string{strings.Join(slices.Concat([]string{h.Opening}, some.Facts, passkeyFiller), " ") + " " + some.Question + " " +
			some.Lead + " 67890.", "1234567890 1 2 3 4 5 6 7 8 9"},
		Space:  func(length int) float64 { return passkeyKeys * float64(length+1) },
		Chance: func(int) float64 { return 1.0 / passkeyKeys },
	}, h)
}
