package train_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// drawing returns a run whose training draws position ids.
func drawing(encoding, kind string, below int) runfile.Config {
	c := micro(encoding, 1)
	c.Train.Positions, c.Train.MaxPosition = kind, below
	return c
}

// rows returns the position ids of each sequence of a step, and how many tokens it has.
func rows(t testing.TB, c runfile.Config, step int) (ids [][]int64, tokens []int) {
	t.Helper()
	c, _ = resolved(t, c)
	batches, err := train.Draw(c, step)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		width := b.IDs.Shape()[1]
		for i := range b.IDs.Shape()[0] {
			ids = append(ids, tensor.Data[int64](b.Positions)[i*width:][:width])
			row := tensor.Data[int64](b.IDs)[i*width:][:width]
			n := slices.Index(row, 0) // the first of padding
			if n < 0 {
				n = width
			}
			tokens = append(tokens, n)
		}
	}
	return ids, tokens
}

// Ids of a sequence ascend below the maximum, consecutive ones where only the offset is
// drawn, each offset as often as the others. Padding is where the last token is.
func TestPositionsDrawn(t *testing.T) {
	const below = 24
	for _, kind := range []string{card.Offset, card.Randomized} {
		starts, largest, smallest := map[int64]int{}, int64(0), int64(below)
		for step := range 400 {
			ids, tokens := rows(t, drawing("rope", kind, below), step)
			for i, row := range ids {
				n := tokens[i]
				starts[row[0]]++
				largest, smallest = max(largest, row[n-1]), min(smallest, row[0])
				for k := 1; k < len(row); k++ {
					switch d := row[k] - row[k-1]; {
					case k >= n && d != 0, k < n && d < 1, k < n && d > 1 && kind == card.Offset:
						t.Fatalf("%s: %d tokens are at %v", kind, n, row)
					}
				}
			}
		}
		if smallest != 0 || largest != below-1 {
			t.Errorf("%s: ids run from %d to %d, want 0 to %d", kind, smallest, largest, below-1)
		}
		if kind == card.Offset && starts[0] > 2*starts[5] { // of 3200 sequences some 200 each
			t.Errorf("%d sequences begin at 0, and %d at 5", starts[0], starts[5])
		}
	}
}

// Every choice of ids is as likely as the others.
func TestPositionsAreUniform(t *testing.T) {
	for kind, want := range map[string]int{card.Offset: 4, card.Randomized: 10} {
		count := map[string]int{}
		const draws = 10000
		for seed := range uint64(draws) {
			count[fmt.Sprint(train.Positions(kind, 2, 5, seed))]++
		}
		if len(count) != want {
			t.Errorf("%s: %d choices of 2 of 5, want %d: %v", kind, len(count), want, count)
		}
		for ids, n := range count {
			if mean := draws / want; n < mean*8/10 || n > mean*12/10 { // six standard deviations
				t.Errorf("%s: %s came %d times, want about %d", kind, ids, n, mean)
			}
		}
	}
}

// They depend on seed, step and place within the step, and not on how a step is cut.
func TestPositionsAreAFunctionOfTheStep(t *testing.T) {
	c := drawing("rope", card.Randomized, 2048)
	first, _ := rows(t, c, 3)
	again, _ := rows(t, c, 3)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the same step, drawn again:\n%s", diff)
	}
	next, _ := rows(t, c, 4)
	other := c
	other.Train.Seed++
	seed, _ := rows(t, other, 3)
	if first[0][0] == next[0][0] || first[0][0] == seed[0][0] || first[0][0] == first[1][0] {
		t.Errorf("steps, seeds or sequences are alike: %v, %v, %v, %v", first[0], next[0], seed[0], first[1])
	}
	cut := c
	cut.Train.MicroTokens = 24
	parts, tokens := rows(t, cut, 3)
	for i, n := range tokens {
		if !slices.Equal(parts[i][:n], first[i][:n]) {
			t.Errorf("sequence %d has ids %v in micro-batches, %v at once", i, parts[i][:n], first[i][:n])
		}
	}
}

// The gradient of every weight with drawn positions, of each encoding that takes them.
func TestPositionsGradient(t *testing.T) {
	for _, kind := range []string{card.Offset, card.Randomized} {
		for _, row := range pe.Table() {
			cfg := drawing(row.Name, kind, 32)
			cfg.Train.Batch, cfg.Train.Lengths = 3, "1..3"
			cfg, err := cfg.Resolve()
			if err != nil {
				continue // see TestPositionsErrors
			}
			t.Run(row.Name+"/"+kind, func(t *testing.T) {
				_, m := resolved(t, cfg)
				batches, err := train.Draw(cfg, 0)
				if err != nil {
					t.Fatal(err)
				}
				mode := models.Mode{Positions: kind}
				g, err := train.StepGraph(m, mode)
				if err != nil {
					t.Fatal(err)
				}
				graphtest.CheckGrad(t, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
					return train.StepLoss(b, m, mode)
				}, feed(g, batches[0]), perturbed(m))
			})
		}
	}
}

// Interrupted and resumed: the same bits. The card says what positions there were.
func TestPositionsRun(t *testing.T) {
	cfg := drawing("alibi", card.Randomized, 100)
	cfg.Train.Steps, cfg.Train.MicroTokens = 11, 24
	testResume(t, cfg)
	dir := t.TempDir()
	cfg.Train.Steps = 1
	losses(t, start(t, dir, cfg))
	about, err := final(t, dir).Card("")
	if err != nil || about.Positions != card.Randomized {
		t.Errorf("the card says %q (%v)", about.Positions, err)
	}
}

func TestPositionsResolve(t *testing.T) {
	plain, _ := resolved(t, micro("rope", 1))
	named, _ := resolved(t, drawing("rope", "plain", 9))
	if plain.Hash() != named.Hash() {
		t.Error("plain positions by name and by default are two configurations")
	}
	text, err := json.Marshal(plain)
	if err != nil || strings.Contains(string(text), "position") {
		t.Errorf("stored with plain positions: %s (%v)", text, err)
	}
	for encoding, want := range map[string]int{"rope": 512, "learned": 30} {
		c := drawing(encoding, card.Offset, 0)
		if encoding == "learned" {
			c.Model.EncodingParams = json.RawMessage(`{"max_length":30}`)
		}
		if c, _ = resolved(t, c); c.Train.MaxPosition != want {
			t.Errorf("%s: train.max_position %d, want %d", encoding, c.Train.MaxPosition, want)
		}
		if again, _ := resolved(t, c); again.Hash() != c.Hash() {
			t.Errorf("%s: resolved again: another configuration", encoding)
		}
	}
}

func TestPositionsErrors(t *testing.T) {
	for _, tc := range []struct {
		encoding, kind string
		below          int
		want           string
	}{
		{"rope", "random", 0, `train.positions "random": want plain, offset or randomized`},
		{"rope", "", 9, "train.max_position 9: has no use with plain positions"},
		{"rope", card.Offset, -1, "train.max_position -1"},
		{"rope", card.Offset, 1 << 30, "train.max_position 1073741824: want at most"},
		{"learned", card.Offset, 513, "train.max_position 513: the encoding learned ends at 512"},
		{"nope", card.Randomized, 0, "train.positions randomized: would change nothing, since nope does not"},
		{"alibi", card.Offset, 0, "train.positions offset: would change nothing, since alibi does not"},
		{"txl", card.Randomized, 0, "since txl does not depend on them"},
		{"cwrnn", card.Randomized, 0, "since cwrnn does not depend on them"},
	} {
		_, err := drawing(tc.encoding, tc.kind, tc.below).Resolve()
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s, %s, %d: error %v, want %q", tc.encoding, tc.kind, tc.below, err, tc.want)
		}
	}
	_, err := train.New(t.TempDir(), drawing("rope", card.Offset, 12), train.Options{})
	if err == nil || !strings.Contains(err.Error(), "and train.max_position is 12; lower train.lengths or raise it") {
		t.Errorf("sequences beyond the maximum: %v", err)
	}
	_, err = train.Draw(drawing("rope", card.Offset, 3), 0)
	if err == nil || !strings.Contains(err.Error(), "step 1 has a sequence of") {
		t.Errorf("a step with sequences beyond the maximum: %v", err)
	}
}
