package runtime_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime"
)

func TestOpen(t *testing.T) {
	ports := map[string][]string{
		"in place": {"attention_mask int64[batch,capacity]", "cache_position int64[seq]",
			"past_key_values.1.value float32[batch,4,capacity,8]"},
		"growing": {"attention_mask int64[batch,past+seq]", "past_key_values.1.value float32[batch,4,past,8]"},
	}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			model := build(t, spec{encoding: "rope", fused: true, growing: kind.growing, maxLength: 30})
			testOpen(t, model, append(ports[kind.name], "input_ids int64[batch,seq]", "position_ids int64[batch,seq]"))
		})
	}
}

// testOpen opens a model in all ways, and wants these ports among its inputs.
func testOpen(t *testing.T, model []byte, ports []string) {
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, model, 0o600); err != nil {
		t.Fatal(err)
	}
	opt := runtime.Options{Provider: "go"}
	a, err := runtime.Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	b, err := runtime.OpenFS(fstest.MapFS{"m.onnx": {Data: model}}, "m.onnx", opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*runtime.Session{a, b, open(t, model, opt), open(t, model, runtime.Options{})} {
		i := s.Info()
		if i.Card.Encoding != "rope" || i.Card.Profile != card.Fused || i.VocabSize != 50 || s.Info().Card.MaxLength != 30 {
			t.Errorf("info is %+v", i)
		}
		var inputs, outputs []string
		for _, p := range i.Inputs {
			inputs = append(inputs, p.String())
		}
		for _, p := range i.Outputs {
			outputs = append(outputs, p.Name)
		}
		for _, want := range ports {
			if !slices.Contains(inputs, want) {
				t.Errorf("%s: inputs are %v, want %s among them", i.Engine, inputs, want)
			}
		}
		if diff := cmp.Diff([]string{"logits", "present.0.key", "present.0.value", "present.1.key", "present.1.value"}, outputs); diff != "" {
			t.Errorf("%s: %s", i.Engine, diff)
		}
	}
	if i := a.Info(); i.Engine != "go" || i.Provider != "go" || i.Library != "" || !strings.HasPrefix(i.Version, "go") {
		t.Errorf("pure Go: %+v", i)
	}
	if i := open(t, model, runtime.Options{}).Info(); i.Engine != "onnxruntime" || i.Provider != "cpu" || i.Library == "" || !strings.HasPrefix(i.Version, "1.") {
		t.Errorf("ONNX Runtime: %+v", i)
	}
}

// TestExtraOutputs: attention weights are declared, but neither computed nor in
// the way.
func TestExtraOutputs(t *testing.T) {
	plain := build(t, spec{encoding: "alibi"})
	model := build(t, spec{encoding: "alibi", attentions: true})
	for _, provider := range []string{"cpu", "go"} {
		s := open(t, model, runtime.Options{Provider: provider})
		for _, p := range s.Info().Outputs {
			if strings.HasPrefix(p.Name, "attentions") {
				t.Errorf("%s computes %v", provider, p)
			}
		}
		want := batchLogits(t, open(t, plain, runtime.Options{Provider: provider}), ragged())
		if diff := cmp.Diff(want, batchLogits(t, s, ragged()), close32); diff != "" {
			t.Errorf("%s: %s", provider, diff)
		}
	}
}

func TestText(t *testing.T) {
	model := build(t, spec{encoding: "nope"})
	s := open(t, model, runtime.Options{Provider: "go"})
	ids, err := s.Encode(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := s.EncodePrompt(t.Context(), "a ")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ids, prompt); diff != "" {
		t.Error(diff)
	}
	if text, err := s.Decode([]int64{2, 3, 1}); err != nil || text != "ab</s>" {
		t.Errorf("decoded %q, %v", text, err)
	}
	out := generate(t, s, [][]int64{prompt}, runtime.GenerateOptions{MaxNew: 4})
	want, err := s.Decode(out[0])
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Complete(t.Context(), "a ", runtime.GenerateOptions{MaxNew: 4})
	if err != nil || got != want {
		t.Errorf("completed to %q, %v; want %q", got, err, want)
	}
	// The second token as a stop token ends the text before it.
	want, err = s.Decode(out[0][:slices.Index(out[0], out[0][1])])
	if err != nil {
		t.Fatal(err)
	}
	got, err = s.Complete(t.Context(), "a ", runtime.GenerateOptions{MaxNew: 4, Stop: out[0][1:2]})
	if err != nil || got != want {
		t.Errorf("stopped at %q, %v; want %q", got, err, want)
	}

	rnn, _, _ := recurrent(t)
	s = open(t, rnn, runtime.Options{Provider: "go"})
	if _, err := s.Encode(t.Context(), "a"); !errors.Is(err, runtime.ErrNoTokenizer) {
		t.Errorf("encode: %v", err)
	}
	if _, err := s.EncodePrompt(t.Context(), "a"); !errors.Is(err, runtime.ErrNoTokenizer) {
		t.Errorf("encode prompt: %v", err)
	}
	if _, err := s.Decode(nil); !errors.Is(err, runtime.ErrNoTokenizer) {
		t.Errorf("decode: %v", err)
	}
	if _, err := s.Complete(t.Context(), "a", runtime.GenerateOptions{}); !errors.Is(err, runtime.ErrNoTokenizer) {
		t.Errorf("complete: %v", err)
	}
}

func TestCallErrors(t *testing.T) {
	s := open(t, build(t, spec{encoding: "nope", maxLength: 8}), runtime.Options{Provider: "go"})
	long := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	gen := func(prompts [][]int64, opt runtime.GenerateOptions) func() error {
		return func() error { _, err := runtime.Tokens(s.Generate(t.Context(), prompts, opt)); return err }
	}
	logits := func(rows ...[]int64) func() error {
		return func() error { _, err := s.Logits(t.Context(), rows); return err }
	}
	score := func(rows [][]int64, from ...int) func() error {
		return func() error { _, err := s.Score(t.Context(), rows, from, nil); return err }
	}
	ok := [][]int64{{1}, {2, 3}}
	with := func(o runtime.Sampling) func() error { return gen(ok, runtime.GenerateOptions{Sampling: o}) }
	tests := []struct {
		name string
		call func() error
		want string
	}{
		{"no prompts", gen(nil, runtime.GenerateOptions{}), "runtime: generate: there is no prompt"},
		{"empty prompt", gen([][]int64{{1}, {}}, runtime.GenerateOptions{}), "prompt 1 is empty"},
		{"token id", gen([][]int64{{1, 50}}, runtime.GenerateOptions{}), "prompt 0 has token id 50 at index 1, the vocabulary has ids 0 to 49"},
		{"negative id", gen([][]int64{{-1}}, runtime.GenerateOptions{}), "token id -1"},
		{"stop id", gen(ok, runtime.GenerateOptions{Stop: []int64{50}}), "stop token id is 50"},
		{"negative count", gen(ok, runtime.GenerateOptions{MaxNew: -1}), "most new tokens is -1"},
		{"huge count", gen(ok, runtime.GenerateOptions{MaxNew: math.MaxInt}), "expected 0 (default) to 2147483647"},
		{"limits", gen(ok, runtime.GenerateOptions{Limits: []int{1}}), "2 prompts have 1 limits"},
		{"limit", gen(ok, runtime.GenerateOptions{Limits: []int{1, 0}}), "the limit of prompt 1 is 0"},
		{"huge limit", gen(ok, runtime.GenerateOptions{Limits: []int{1, math.MaxInt}}), "expected 1 to 2147483647"},
		{"long prompt", gen([][]int64{long}, runtime.GenerateOptions{}), "prompt 0: sequence too long: it takes 9 positions, the model has 8 (prompt of 9 tokens, 1 new ones)"},
		{"long result", gen([][]int64{{1}, long[:5]}, runtime.GenerateOptions{MaxNew: 5}), "prompt 1: sequence too long: it takes 9 positions, the model has 8"},
		{"temperature", with(runtime.Sampling{Temperature: -1}), "temperature is -1"},
		{"no temperature", with(runtime.Sampling{Temperature: math.NaN()}), "temperature is NaN"},
		{"top-k", with(runtime.Sampling{Temperature: 1, TopK: -1}), "top-k is -1"},
		{"top-p", with(runtime.Sampling{Temperature: 1, TopP: 1.5}), "top-p is 1.5"},
		{"greedy top-k", with(runtime.Sampling{TopK: 5}), "need a temperature above 0"},
		{"min-p", with(runtime.Sampling{Temperature: 1, MinP: 1.1}), "min-p is 1.1, expected 0 (all) to 1"},
		{"greedy min-p", with(runtime.Sampling{MinP: 0.1}), "min-p 0.1 need a temperature above 0"},
		{"repetition penalty", with(runtime.Sampling{RepetitionPenalty: -1}), "repetition penalty is -1, expected 1 (none)"},
		{"no repetition penalty", with(runtime.Sampling{RepetitionPenalty: math.NaN()}), "repetition penalty is NaN"},
		{"presence penalty", with(runtime.Sampling{PresencePenalty: 101}), "presence penalty is 101, expected 0 (none) or another number from -100 to 100"},
		{"frequency penalty", with(runtime.Sampling{FrequencyPenalty: math.Inf(-1)}), "frequency penalty is -Inf"},
		{"bias", with(runtime.Sampling{LogitBias: map[int64]float64{3: math.Inf(1)}}), "the logit bias of token id 3 is +Inf"},
		{"biased id", with(runtime.Sampling{LogitBias: map[int64]float64{50: 1}}), "the logit bias has token id 50, the vocabulary has ids 0 to 49"},
		{"samplings", gen(ok, runtime.GenerateOptions{PerRow: make([]runtime.Sampling, 3)}), "2 prompts have 3 samplings in PerRow, expected one each"},
		{"one sampling", gen(ok, runtime.GenerateOptions{PerRow: []runtime.Sampling{{}, {TopP: 2}}}), "prompt 1: top-p is 2"},
		{"biased id of one", gen(ok, runtime.GenerateOptions{PerRow: []runtime.Sampling{{}, {LogitBias: map[int64]float64{-1: 1}}}}), "prompt 1: the logit bias has token id -1"},
		{"top log-probabilities", gen(ok, runtime.GenerateOptions{LogProbs: true, TopLogProbs: -1}), "the number of top log-probabilities is -1, expected 0 (none) to 1000"},
		{"top of nothing", gen(ok, runtime.GenerateOptions{TopLogProbs: 2}), "TopLogProbs needs LogProbs"},
		{"no sequences", logits(), "runtime: logits: there is no sequence"},
		{"empty sequence", logits([]int64{}), "sequence 0 is empty"},
		{"long sequence", logits([]int64{1}, long), "sequence 1: sequence too long"},
		{"scores of nothing", score(nil), "runtime: score: there is no sequence"},
		{"starts", score(ok, 1), "2 sequences have 1 starts"},
		{"first token", score(ok, 1, 0), "sequence 1 is to be scored from index 0, expected 1 to its length 2"},
		{"past the end", score(ok, 2, 1), "sequence 0 is to be scored from index 2"},
		{"long score", score([][]int64{append(long, 1)}, 1), "sequence too long: it takes 9 positions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.call()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error is %v, want it to contain %q", err, tt.want)
			}
			if long := strings.Contains(tt.want, "too long"); errors.Is(err, runtime.ErrTooLong) != long {
				t.Errorf("error %v is ErrTooLong: %v", err, !long)
			}
		})
	}
	// What just fits is fine.
	for _, call := range []func() error{logits(long[:8]), score([][]int64{long}, 8), gen([][]int64{long[:5]}, runtime.GenerateOptions{MaxNew: 4})} {
		if err := call(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	model := build(t, spec{encoding: "rope"})
	base := card.Card{Architecture: "x", Positions: "contiguous", Profile: card.Portable}
	random := base
	random.Positions = "scrambled"
	state := func(s card.State) *card.Card {
		c := base
		c.State = []card.State{s}
		return &c
	}
	good := card.State{Past: "past", Present: "present", Shape: []string{"batch", "past", "4"}, Kind: card.Growing, Axis: 1}
	as := func(change func(*card.State)) *card.Card {
		s := good
		change(&s)
		return state(s)
	}
	tests := []struct {
		name  string
		model []byte
		opt   runtime.Options
		want  string
	}{
		{"damaged", []byte("hello"), runtime.Options{}, "runtime: open model: "},
		{"no card", small(t, nil, []string{"no state"}), runtime.Options{}, "no model card: the file was not written by zoo, and"},
		{"positions", small(t, &random, nil), runtime.Options{}, "reads scrambled positions"},
		{"state without input", small(t, as(func(s *card.State) { s.Past = "p" }), nil), runtime.Options{}, "state p of the card: the model has no input p"},
		{"state without output", small(t, as(func(s *card.State) { s.Present = "p" }), nil), runtime.Options{}, "state past of the card: the model has no output p"},
		{"state's rank", small(t, as(func(s *card.State) { s.Shape = s.Shape[:2] }), nil), runtime.Options{}, "past float32[batch,past,4] of the model does not fit past float32[batch,past]"},
		{"state's length", small(t, as(func(s *card.State) { s.Shape = []string{"batch", "past", "5"} }), nil), runtime.Options{}, "past float32[batch,past,4] of the model does not fit past float32[batch,past,5]"},
		{"state's size", small(t, as(func(s *card.State) { s.Shape = []string{"2251799813685248", "past", "4"} }), nil), runtime.Options{}, "more than 268435456 elements"},
		{"forgotten state", small(t, &base, nil), runtime.Options{}, "an input past float32[batch,past,4] that is neither"},
		{"vocabulary", small(t, &base, vocabulary(9)), runtime.Options{}, "gives 6 logits, the card's tokenizer has 9 pieces"},
		{"bad vocabulary", small(t, &base, []string{"a", "b"}), runtime.Options{}, "tokenizer: a vocabulary starts with"},
		{"provider", model, runtime.Options{Provider: "tpu"}, `unknown provider "tpu", known are cpu, cuda, go`},
		{"chunk", model, runtime.Options{ChunkSize: -1}, "chunk size is -1"},
		{"threads", model, runtime.Options{Threads: -1}, "threads is -1"},
		{"profile", model, runtime.Options{ProfilePrefix: "x"}, "provider go writes no profile"},
		{"exact", model, runtime.Options{Exact: true, Provider: "cuda"}, "option Exact is for providers go and cpu"},
		{"library", model, runtime.Options{Library: "x"}, "provider go uses no ONNX Runtime library"},
		{"provider options", model, runtime.Options{ProviderOptions: map[string]string{"a": "b"}}, "provider go has no options"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.opt.Provider == "" {
				tt.opt.Provider = "go"
			}
			s, err := runtime.OpenBytes(tt.model, tt.opt)
			if err == nil {
				s.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %q, want it to contain %q", err, tt.want)
			}
			if missing := tt.name == "no card"; errors.Is(err, runtime.ErrNoCard) != missing {
				t.Errorf("error %v is ErrNoCard: %v", err, !missing)
			}
		})
	}
	// The same model with the right card does open.
	open(t, small(t, state(good), nil), runtime.Options{Provider: "go"})

	if _, err := runtime.Open(filepath.Join(t.TempDir(), "none.onnx"), runtime.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := runtime.OpenFS(fstest.MapFS{}, "none.onnx", runtime.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file of a file system: %v", err)
	}
}

// TestNoRuntime: asking for a library that is not there is ErrNoRuntime.
func TestNoRuntime(t *testing.T) {
	orttest.Require(t)
	none := filepath.Join(t.TempDir(), "none.so")
	_, err := runtime.OpenBytes(build(t, spec{encoding: "nope"}), runtime.Options{Library: none})
	if !errors.Is(err, runtime.ErrNoRuntime) || !strings.Contains(err.Error(), none) {
		t.Errorf("error is %v, want %v naming the path", err, runtime.ErrNoRuntime)
	}
}

// small is a model with an input of each kind, made to open or fail with a card.
func small(t *testing.T, c *card.Card, pieces []string) []byte {
	t.Helper()
	b := graph.NewBuilder()
	batch, seq, past := graph.Sym("batch"), graph.Sym("seq"), graph.Sym("past")
	ids := b.Input("input_ids", tensor.Int64, batch, seq)
	at := b.Input("position_ids", tensor.Int64, batch, seq)
	logits := b.Add(b.Gather(b.Param("e", tensor.Float32, 6, 6), ids, 0), b.Unsqueeze(b.Cast(at, tensor.Float32), 2))
	outputs := []graph.Output{{Name: "logits", Node: logits}}
	weights := map[string]*tensor.Tensor{"e": tensor.New(tensor.Float32, 6, 6)}
	if len(pieces) == 0 {
		old := b.Input("past", tensor.Float32, batch, past, graph.N(4))
		weights["f"] = tensor.New(tensor.Float32, 6, 4)
		outputs = append(outputs, graph.Output{Name: "present", Node: b.Concat(1, old, b.Gather(b.Param("f", tensor.Float32, 6, 4), ids, 0))})
	}
	g, err := b.Build(outputs...)
	if err != nil {
		t.Fatal(err)
	}
	if c != nil {
		with := *c
		with.Tokenizer = pieces
		c = &with
	}
	model, err := file(g, weights, c)
	if err != nil {
		t.Fatal(err)
	}
	return model
}
