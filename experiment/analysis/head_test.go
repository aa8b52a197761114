package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/models/theory"
)

// drawn is a head whose weights of a sequence a function draws, over n sequences of random tokens.
func drawn(n, tokens int, weights func(rng *rand.Rand, ids []int64, m matches, t int, row []float32)) *eval.Attention {
	rng := rand.New(rand.NewPCG(3, 3))
	h := head{rng: rng}
	g := newGroup(1, tokens)
	for range n {
		in := inside{ids: make([]int64, tokens), attention: [][]float32{make([]float32, tokens*tokens)}}
		for i := range in.ids {
			in.ids[i] = int64(rng.IntN(12))
		}
		m := newMatches(in.ids)
		for t := range tokens {
			weights(rng, in.ids, m, t, in.row(0, 0, t))
		}
		h.add(g, &in, 0, 0, m, -1)
	}
	h.end(g)
	return h.result()
}

func TestDrawnHeads(t *testing.T) {
	induction := drawn(50, 24, func(_ *rand.Rand, _ []int64, m matches, t int, row []float32) {
		if keys := m.induction[t]; len(keys) > 0 {
			row[keys[len(keys)-1]] = 1
			return
		}
		row[0] = 1
	})
	if r := induction.Roles[eval.RoleInduction]; induction.Label != eval.RoleInduction || r.Score != 1 || r.Null > 0.2 {
		t.Errorf("induction: %s, %+v", induction.Label, induction.Roles)
	}
	duplicate := drawn(50, 24, func(_ *rand.Rand, _ []int64, m matches, t int, row []float32) {
		keys := m.duplicate[t]
		for _, j := range keys {
			row[j] = 1 / float32(len(keys))
		}
		if len(keys) == 0 {
			row[0] = 1
		}
	})
	if r := duplicate.Roles[eval.RoleDuplicate]; duplicate.Label != eval.RoleDuplicate || math.Abs(r.Score-1) > 1e-6 || r.Null > 0.2 {
		t.Errorf("duplicate: %s, %+v", duplicate.Label, duplicate.Roles)
	}
	anywhere := drawn(200, 24, func(rng *rand.Rand, _ []int64, _ matches, t int, row []float32) { row[rng.IntN(t+1)] = 1 })
	if anywhere.Label != eval.RoleMixed || *anywhere.Positional > 0.02 || anywhere.Entropy != 0 {
		t.Errorf("one key at random: %s, position explains %v", anywhere.Label, *anywhere.Positional)
	}
	for name, r := range anywhere.Roles {
		if name != eval.RoleEven && math.Abs(r.Excess()) > 0.1 {
			t.Errorf("one key at random: %s %+v", name, r)
		}
	}
	// Half of the weight one token back, the rest anywhere: the variance of the places is that of
	// ½ at one of t+1 keys, and so is that of the keys drawn.
	half := drawn(2000, 24, func(rng *rand.Rand, _ []int64, _ matches, t int, row []float32) {
		row[max(t-1, 0)] += 0.5
		row[rng.IntN(t+1)] += 0.5
	})
	if math.Abs(*half.Positional-0.5) > 0.02 || half.Roles[eval.RolePrevious].Score < 0.5 {
		t.Errorf("half one token back: position explains %v, %+v", *half.Positional, half.Roles)
	}
	none := drawn(2, 8, func(*rand.Rand, []int64, matches, int, []float32) {})
	if none.Mass != 0 || none.Queries != 0 || none.Label == eval.RolePrevious {
		t.Errorf("a head without any weight: %+v", none)
	}
}

func TestDistances(t *testing.T) {
	var d distances
	d.add([]float32{0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0.3}, 0.4) // 9 back ¼, 0 back ¾, of a mass of 0.4
	d.add([]float32{0.25, 0.25, 0.25, 0.25}, 1)
	got := d.result()
	entropy := (-0.25*math.Log(0.25) - 0.75*math.Log(0.75) + math.Log(4)) / 2
	if got.Queries != 2 || math.Abs(got.Mean-(9*0.25+1.5)/2) > 1e-6 || math.Abs(got.Entropy-entropy) > 1e-6 ||
		got.P10 != 0 || got.P50 != 0 || got.P90 != 9 || got.EvenMean != 3 || got.Local != 1 || got.Start != 0 {
		t.Errorf("%+v", got)
	}
}

// Theorem 1's head, in the first layer of Theorem 2's model too, attends evenly, and the heads of the
// second layer as ALiBi's formula says.
func TestTheorems(t *testing.T) {
	slopes := pe.ALiBiSlopes(2)[:1] // 1/16
	slopes = append(slopes, 0.25)
	made, err := theory.Theorem2(64, slopes)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel("theorem 2", modelfile.Model{Config: made.Config, Weights: made.Weights,
		Card: card.Card{Tokenizer: made.Pieces}})
	if err != nil {
		t.Fatal(err)
	}
	ids := []int64{made.BOS}
	for len(ids) < 65 {
		ids = append(ids, made.Words[0])
	}
	words, err := task.Lookup("copy") // for the findings to name one
	if err != nil {
		t.Fatal(err)
	}
	found, err := look(t.Context(), m, Request{Task: words, Length: 5, Tokens: eval.RandomTokens}, []eval.Sequence{{IDs: ids, Prompt: 57}, {IDs: ids, Prompt: 57}}, nil)
	if err != nil || len(found) != 4 {
		t.Fatalf("%d findings, %v", len(found), err)
	}
	if a := found[0].Attention; a.Label != eval.RoleEven || math.Abs(a.Roles[eval.RoleEven].Score-1) > 1e-5 || a.Mean != a.EvenMean {
		t.Errorf("theorem 1: %s, %+v", a.Label, a.Roles)
	}
	// From so far on <bos> has no weight at this slope, and the distances are geometric.
	if a, want := found[3].Attention, 1/(math.Exp(0.25)-1); math.Abs(a.Mean-want) > 0.01 || found[3].Layer != 1 {
		t.Errorf("theorem 2, slope ¼: distance %v, want %v", a.Mean, want)
	}
}
