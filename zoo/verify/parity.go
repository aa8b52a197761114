// Package verify checks the files that are exported: what their engines answer, and
// what an independent reader finds in them.
package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
	_ "github.com/nopezoo/zoo/runtime/native" // the exact engine
	_ "github.com/nopezoo/zoo/runtime/ort"    // the engine that is checked
)

// Tolerance is what parity means for float32 files: the largest |Δ| / max(1, |logit|).
const Tolerance = 1e-4

// NarrowTolerance is what parity means for files in another precision: the root of the mean
// square of Δ, over the logits', is at most this. Engines add up in other orders, and a value that lies
// midway between two of the precision's numbers goes to the one in the one engine and to the
// other in the other. That is a whole step of the precision, which sharp attention on random
// tokens can magnify beyond all bounds for a single logit, but not for all of them: they stay
// closer than the precision itself is to float32.
var NarrowTolerance = map[string]float64{card.Float16: 0.005, card.BFloat16: 0.02}

// slack is for trained models, whose sharp attention magnifies float32 rounding
// beyond the tolerance in every engine: ONNX Runtime may err this many times as
// much as the interpreter does in float32, both against the interpreter in
// float64. Sums taken in another order stay within it; a wrong graph does not.
const slack = 10

// assumedTrained is taken for the trained length, in tokens, of a model that does not say
// what it was trained on.
const assumedTrained = 16

// lengthFactors are the multiples of the trained length at which a file is
// verified.
var lengthFactors = []int{1, 4, 8}

// A model of more parameters than largeModel is verified at largeLengths, in tokens: the float64 reference takes seconds
// for each of them, and such models are trained at thousands.
const largeModel = 10_000_000

var largeLengths = []int{16, 64, 128}

// pieces is how many tokens the pure-Go engine reads at once where it is checked
// against itself: few and no power of two, so that most of what it computes comes
// from the cache.
const pieces = 7

// parity runs a model's file in ONNX Runtime (any of its providers), or by pieces in pure Go
// (provider go), and the model as it was meant whole in pure Go in float64, and returns the worst error of the
// former, at 1, 4 and 8 times the trained length (see verifiedLengths). One too large is an error.
func (o Options) parity(ctx context.Context, m modelfile.Model) (worst float64, err error) {
	got := o.engine()
	got.ChunkSize = task.MaxLength
	switch {
	case got.Provider == "go":
		got.ChunkSize = pieces
	case got.Provider == engine.CPU && inBlocks(m):
		got.Exact = true // what it rounds else is in the card's difference from float32
	}
	// Whole rows: the cache would round the reference.
	exact := runtime.Options{Provider: "go", Exact: true, ChunkSize: task.MaxLength}
	plain := runtime.Options{Provider: "go", ChunkSize: task.MaxLength}
	return agree(ctx, o.written(m, got), o.meant(m, exact), o.meant(m, plain))
}

func inBlocks(m modelfile.Model) bool {
	return m.Card.DType == card.Int8Block || m.Card.DType == card.Int4Block
}

// opener opens a model.
type opener func() (*runtime.Session, error)

// use opens a model for one use of it. What the engine took for it, as much as the weights have or more, is given back
// before the next one.
func (open opener) use(f func(*runtime.Session) error) error {
	s, err := open()
	if err == nil {
		err = errors.Join(f(s), s.Close())
	}
	debug.FreeOSMemory()
	if e, found := engine.Find(engine.CPU); found == nil && e.TrimMemory != nil {
		e.TrimMemory()
	}
	return err
}

// agree compares what one session gives with what the exact one does, on random tokens, in batches of a
// long and a shorter, left-padded row, at multiples of the trained length. The
// plain session shows what float32 costs. One of them is open at a time.
func agree(ctx context.Context, got, exact, plain opener) (worst float64, err error) {
	var info runtime.Info
	var samples []sample
	err = got.use(func(s *runtime.Session) error {
		info = s.Info()
		lengths, err := verifiedLengths(info.Card)
		if err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for _, n := range lengths {
			rows := [][]int64{randomIDs(rng, n, info.VocabSize), randomIDs(rng, n-n/3, info.VocabSize)}
			logits, err := s.Logits(ctx, rows)
			if err != nil {
				return err
			}
			samples = append(samples, sample{rows, logits})
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	found := make([]gap, len(samples))
	err = exact.use(func(s *runtime.Session) error {
		for i, given := range samples {
			want, err := s.Logits(ctx, given.rows)
			if err != nil {
				return err
			}
			found[i], samples[i].logits = between(want, given.logits), want
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	err = plain.use(func(s *runtime.Session) error {
		for i, want := range samples {
			logits, err := s.Logits(ctx, want.rows)
			if err != nil {
				return err
			}
			e, bound := found[i].worst, max(Tolerance, slack*between(want.logits, logits).worst)
			if narrow := NarrowTolerance[info.Card.DType]; narrow > 0 {
				e, bound = found[i].rms, narrow
			}
			if !(e <= bound) { // NaN too
				return fmt.Errorf("%s %s differs by %.3g from the exact logits at %d tokens, more than %.3g",
					info.Engine, info.Version, e, len(want.rows[0]), bound)
			}
			worst = max(worst, found[i].worst)
		}
		return nil
	})
	return worst, err
}

// sample is rows of tokens and what a session gives for them.
type sample struct {
	rows   [][]int64
	logits []*tensor.Tensor
}

// gap is how far logits are from those that they should be.
type gap struct {
	worst    float64 // largest |Δ| / max(1, |logit|)
	absolute float64 // largest |Δ|
	rms      float64 // root of the mean square of Δ, over the logits'
}

// between returns how far logits of some rows are from those that are wanted. Numbers that are not finite make it NaN.
func between(want, got []*tensor.Tensor) gap {
	var g gap
	var squares, size float64
	for i := range want {
		y := tensor.Data[float32](got[i])
		for k, x := range tensor.Data[float32](want[i]) {
			e := math.Abs(float64(x) - float64(y[k]))
			g.absolute = max(g.absolute, e) // of which NaN is the largest
			g.worst = max(g.worst, e/math.Max(1, math.Abs(float64(x))))
			squares += e * e
			size += float64(x) * float64(x)
		}
	}
	g.rms = math.Sqrt(squares / max(size, math.SmallestNonzeroFloat64))
	return g
}

func randomIDs(rng *rand.Rand, n, vocab int) []int64 {
	return lists.Make(n, func(int) int64 { return rng.Int64N(int64(vocab)) })
}

// verifiedLengths returns the lengths in tokens at which a file is verified.
func verifiedLengths(c card.Card) ([]int, error) {
	lengths := slices.Clone(largeLengths)
	if c.Parameters <= largeModel {
		trained, err := trainedTokens(c)
		if err != nil {
			return nil, err
		}
		for i, factor := range lengthFactors {
			lengths[i] = factor * trained
		}
	}
	for i, n := range lengths {
		if c.MaxLength > 0 {
			lengths[i] = min(n, c.MaxLength)
		}
	}
	return lengths, nil
}

// trainedTokens returns how many tokens the longest sequence had that the model was trained on; assumedTrained where
// its card does not say.
func trainedTokens(c card.Card) (int, error) {
	if !tellsTraining(c) {
		return assumedTrained, nil
	}
	return modelfile.Model{Card: c}.TrainedTokens()
}

// tellsTraining reports whether a card says what samples its model was trained on.
func tellsTraining(c card.Card) bool {
	return c.Task != "" && len(c.Tokenizer) > 0 && c.Trained.Max > 0
}
