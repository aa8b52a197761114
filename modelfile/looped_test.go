package modelfile_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// answersCases are the models of TestParity, and what decodes in other ways: windows, states
// that are rewritten, and hybrids of both.
func answersCases() map[string]models.Config {
	cases := parityCases()
	window := size("rope", "modern")
	window.Window = "5/0"
	cases["rope/window"] = window
	for _, encoding := range []string{"deltanet", "deltanet/nope"} {
		cases[encoding] = models.Config{Encoding: encoding, DModel: 8, NLayers: 2, NHeads: 2, DFF: 16, VocabSize: vocab}
	}
	cases["cwrnn"] = models.Config{Encoding: "cwrnn", DModel: 8, NUnits: 24, NModules: 4, VocabSize: vocab}
	cases["lstm"] = models.Config{Encoding: "lstm", DModel: 8, NUnits: 12, VocabSize: vocab}
	return cases
}

// lively is a model with weights large enough that answers are not one token over and over.
func lively(t testing.TB, cfg models.Config) modelfile.Model {
	t.Helper()
	m, err := models.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	params := m.Params()
	for i := range params {
		params[i].Std *= 3
		if params[i].Name == "embed.weight" {
			params[i].Std = 1
		}
	}
	return modelfile.Model{Config: m.Config(), Weights: models.InitWeights(params, 3), Card: description()}
}

// TestAnswers: the file that answers in one call gives what Generate does step by step with
// the other file, token by token, with and without padding, from prompts shorter than the
// trained length to longer ones, and ends where that does.
func TestAnswers(t *testing.T) {
	orttest.Require(t)
	rng := rand.New(rand.NewPCG(5, 6))
	row := func(n int) []int64 {
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = rng.Int64N(vocab)
		}
		return ids
	}
	batches := map[string][][]int64{
		"one token":   {row(1)},
		"short":       {row(trained)},
		"long":        {row(8 * trained)},
		"left padded": {row(4 * trained), row(8 * trained), row(trained), row(1)},
		"many":        {row(3), row(4), row(5), row(6), row(7), row(8), row(9), row(10)},
	}
	different, ended := 0, 0
	for name, cfg := range answersCases() {
		m := lively(t, cfg)
		for _, profile := range []string{card.Portable, card.Fused} {
			if profile == card.Fused && !slices.Contains(studied, cfg.Encoding) {
				continue // the Loop knows no operators: the study's are enough for both
			}
			t.Run(name+"/"+profile, func(t *testing.T) {
				var sessions [2]*runtime.Session
				var stored [2]int64
				for i, looped := range []bool{false, true} {
					m := m
					m.Looped = looped
					file, err := m.ONNX(profile)
					if err != nil {
						t.Fatal(err)
					}
					if sessions[i], err = runtime.OpenBytes(file, runtime.Options{}); err != nil {
						t.Fatal(err)
					}
					defer sessions[i].Close()
					info, err := export.Inspect(file, nil)
					if err != nil {
						t.Fatal(err)
					}
					stored[i] = info.InitializerBytes
				}
				if more := stored[1] - stored[0]; more > 1<<10 {
					t.Errorf("%d more bytes of weights and constants than in the file of steps", more)
				}
				for name, rows := range batches {
					for _, most := range []int{1, 24} {
						var answers [2][][]int64
						for i, s := range sessions {
							var err error
							if answers[i], err = runtime.Tokens(s.Generate(t.Context(), rows, runtime.GenerateOptions{MaxNew: most})); err != nil {
								t.Fatal(err)
							}
						}
						if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
							t.Errorf("%s, %d new tokens (-step by step +in one call):\n%s", name, most, diff)
						}
						for _, a := range answers[0] {
							if len(a) < most {
								ended++
							}
							for _, id := range a {
								if id != a[0] {
									different++
								}
							}
						}
					}
				}
			})
		}
	}
	if different < 1000 || ended < 20 {
		t.Errorf("%d tokens differ from the first of their answer, and %d answers end early: too few to prove anything",
			different, ended)
	}
}

// TestAnswersEndEarly: the Loop takes no turn after the last row has ended. One that did would
// ask for positions that the model does not have.
func TestAnswersEndEarly(t *testing.T) {
	orttest.Require(t)
	cfg := size("learned", "modern")
	cfg.EncodingParams = []byte(`{"max_length":30}`)
	m := lively(t, cfg)
	for name, w := range m.Weights {
		if strings.HasPrefix(name, "layers.") { // what the token itself says is less than what the layers add
			for i := range tensor.Data[float32](w) {
				tensor.Data[float32](w)[i] *= 5
			}
		}
	}
	m.Looped = true
	file, err := m.ONNX(card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	s, err := orttest.Load(file, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	answer := func(prompts []int64, most int64) (ids, lengths []int64, err error) {
		mask := make([]int64, len(prompts))
		for i := range mask {
			mask[i] = 1
		}
		ids, lengths = make([]int64, len(prompts)*int(max(most, 0))), make([]int64, len(prompts))
		err = s.Run(t.Context(), map[string]*tensor.Tensor{
			card.OutputIDs.Name: tensor.Of(ids, len(prompts), int(max(most, 0))), card.OutputLengths.Name: tensor.Of(lengths, len(lengths)),
			card.InputIDs.Name: tensor.Of(prompts, len(prompts), 1), card.AttentionMask.Name: tensor.Of(mask, len(mask), 1),
			card.MaxNew.Name: tensor.Of([]int64{most}, 1),
		})
		return ids, lengths, err
	}
	all := make([]int64, vocab) // one prompt for each token
	for i := range all {
		all[i] = int64(i)
	}
	const most = 20
	ids, lengths, err := answer(all, most)
	if err != nil {
		t.Fatal(err)
	}
	var ending []int64 // prompts whose answers end
	var want []int64
	for i, n := range lengths {
		row := ids[i*most:][:most]
		if at := slices.Index(row, 1); at != int(n) && (at >= 0 || n != most) {
			t.Errorf("prompt %d: length %d of %v", i, n, row)
		}
		if n < most {
			ending, want = append(ending, all[i]), append(want, n)
			for _, id := range row[n:] {
				if id != 1 {
					t.Errorf("prompt %d: not filled up with end tokens: %v", i, row)
				}
			}
		}
	}
	if len(ending) < 2 || len(ending) == vocab {
		t.Fatalf("%d of %d answers end: choose another seed", len(ending), vocab)
	}
	if _, lengths, err = answer(ending, 1000); err != nil || !slices.Equal(lengths, want) {
		t.Errorf("answers of lengths %v, want %v, error %v", lengths, want, err)
	}
	if _, _, err = answer(all, 1000); err == nil {
		t.Error("more positions are taken than there are")
	}
	for _, most := range []int64{0, 1} {
		if ids, lengths, err := answer(all, most); err != nil || len(ids) != vocab*int(most) || slices.Max(lengths) != most {
			t.Errorf("max_new %d: ids %v, lengths %v, error %v", most, ids, lengths, err)
		}
	}
	if _, _, err = answer(all, -1); err == nil {
		t.Error("max_new −1 is taken")
	}
}

// TestAnswersRefuse: what has no end token has no such file.
func TestAnswersRefuse(t *testing.T) {
	m := lively(t, size("nope", "modern"))
	m.Looped, m.Card.Tokenizer = true, nil
	if _, err := m.ONNX(card.Portable); err == nil || !strings.Contains(err.Error(), "end token of a tokenizer") {
		t.Errorf("without a tokenizer: error %v", err)
	}
	if _, err := m.ONNX("fast"); err == nil || !strings.Contains(err.Error(), `unknown profile "fast"`) {
		t.Errorf("unknown profile: error %v", err)
	}
}
