package task

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
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
			drawn := make([]byte, length)
			for i := range drawn {
				drawn[i] = inductionSigns[rng.IntN(len(inductionSigns))]
			}
			return Sample{Prompt: "~" + string(drawn), Target: string(drawn), Length: length}
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
	const prefix = "There is a pass key in this text."
	write := func(key, before, length int) string {
		var b strings.Builder
		b.WriteString(prefix)
		for i := range length + 1 {
			if i == before {
				fmt.Fprintf(&b, " The pass key is %d. Remember it. %d is the pass key.", key, key)
			}
			if i < length {
				b.WriteString(" " + passkeyFiller[i%len(passkeyFiller)])
			}
		}
		b.WriteString(" What is the pass key? The pass key is ")
		return b.String()
	}
	return probe(Task{
		Name:        "passkey",
		Description: "find a number that is hidden in filler; the length is the number of sentences of filler",
		Train:       Range{1, 10},
		Beyond:      Range{11, 200},
		Lengths:     Range{1, MaxLength},
		Prefix:      prefix,
		Texts:       []string{write(12345, 1, len(passkeyFiller)) + "67890.", "1234567890 1 2 3 4 5 6 7 8 9"},
		Space:       func(length int) float64 { return passkeyKeys * float64(length+1) },
		Chance:      func(int) float64 { return 1.0 / passkeyKeys },
		Generate: func(rng *rand.Rand, length int) Sample {
			key, before := passkeyFirst+rng.IntN(passkeyKeys), rng.IntN(length+1)
			return Sample{Prompt: write(key, before, length), Target: fmt.Sprintf("%d.", key), Length: length}
		},
	})
}
