package modelfile_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
)

// BenchmarkAnswers compares the time of whole answers, prompt and 64 new tokens, in one call
// of the file that answers with that of the file that is run step by step: the ratio at each
// batch and length of prompts, of models of the size small. The files take turns, and ratios
// are of medians. The models never end an answer early.
//
//	go test ./modelfile -run '^$' -bench Answers -benchtime 7x
func BenchmarkAnswers(b *testing.B) {
	orttest.Require(b)
	for _, encoding := range []string{"rope", "swa", "lstm"} {
		m, err := models.New(models.Config{Encoding: encoding, DModel: 256, NLayers: 4, NHeads: 4, DFF: 1024, VocabSize: vocab})
		if err != nil {
			b.Fatal(err)
		}
		weights := models.InitWeights(m.Params(), 1)
		head := weights["head.weight"]
		if head == nil {
			head = weights["embed.weight"]
		}
		clear(tensor.Data[float32](head)[head.Shape()[1]:][:head.Shape()[1]])
		made := modelfile.Model{Config: m.Config(), Weights: weights, Card: description()}
		var files [2][]byte
		for i, looped := range []bool{false, true} {
			made.Looped = looped
			if files[i], err = made.ONNX(card.Portable); err != nil {
				b.Fatal(err)
			}
		}
		for _, rows := range []int{1, 64} {
			for _, length := range []int{32, 512} {
				b.Run(fmt.Sprintf("%s/B=%d/L=%d", encoding, rows, length), func(b *testing.B) {
					answerRatio(b, files, rows, length)
				})
			}
		}
	}
}

func answerRatio(b *testing.B, files [2][]byte, rows, length int) {
	const fresh = 64
	rng := rand.New(rand.NewPCG(1, 1))
	prompts := make([][]int64, rows)
	for i := range prompts {
		prompts[i] = make([]int64, length)
		for k := range prompts[i] {
			prompts[i][k] = 2 + rng.Int64N(vocab-2)
		}
	}
	var sessions [2]*runtime.Session
	var times [2][]time.Duration
	once := func(i int) {
		start := time.Now()
		answers, err := runtime.Tokens(sessions[i].Generate(b.Context(), prompts, runtime.GenerateOptions{MaxNew: fresh}))
		if err != nil {
			b.Fatal(err)
		}
		times[i] = append(times[i], time.Since(start))
		for _, a := range answers {
			if len(a) != fresh {
				b.Fatalf("an answer of %d tokens", len(a))
			}
		}
	}
	for i := range files {
		var err error
		if sessions[i], err = runtime.OpenBytes(files[i], runtime.Options{}); err != nil {
			b.Fatal(err)
		}
		defer sessions[i].Close()
		once(i) // warm up: the first run of a length allocates
		times[i] = nil
	}
	for b.Loop() {
		for i := range sessions {
			once(i)
		}
	}
	steps, call := median(times[0]), median(times[1])
	b.ReportMetric(float64(call)/float64(steps), "of-steps")
	b.ReportMetric(float64(rows*fresh)/call.Seconds(), "tok/s")
}
