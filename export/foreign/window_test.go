package foreign_test

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/foreigntest"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime"
)

// windowedRow is what transformers computes with foreigntest.Windowed.
type windowedRow struct {
	IDs    []int64     `json:"ids"`
	Logits [][]float64 `json:"logits"`
	Greedy []int64     `json:"greedy"`
}

func readWindowed(t *testing.T) (rows []windowedRow, prompts [][]int64) {
	t.Helper()
	data, err := fs.ReadFile(foreigntest.Windowed(), "expected.json")
	if err == nil {
		err = json.Unmarshal(data, &rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		prompts = append(prompts, r.IDs)
	}
	return rows, prompts
}

// widened is the file with the cache's capacity declared as a fixed length, 0 for as it is.
func widened(t *testing.T, capacity int64) []byte {
	t.Helper()
	data, _, err := safety.ReadFS(foreigntest.Windowed(), "model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	if capacity == 0 {
		return data
	}
	var m onnxpb.ModelProto
	if err := onnxpb.Unmarshal(data, &m, true); err != nil {
		t.Fatal(err)
	}
	for _, v := range slices.Concat(m.Graph.Input, m.Graph.Output) {
		for _, d := range v.Type.TensorType.Shape.Dim {
			if strings.HasSuffix(onnxpb.Get(d.DimParam), "_sliding_length") {
				*d = onnxpb.Dimension{DimValue: new(capacity)}
			}
		}
	}
	if data, err = onnxpb.Marshal(&m); err != nil {
		t.Fatal(err)
	}
	return data
}

func openWindowed(t *testing.T, file []byte, chunk int) *runtime.Session {
	t.Helper()
	s, err := runtime.OpenBytes(file, runtime.Options{Provider: "cpu", Threads: 1, ChunkSize: chunk,
		AllowDomains: []string{"com.microsoft"}, Beside: foreigntest.Windowed()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// unwindowed is the file with layers that see everything.
func unwindowed(t *testing.T) []byte {
	t.Helper()
	data, err := foreigntest.Unwindowed(widened(t, 0))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestWindowedCache: logits and answers are as in the library that the model is from, for prompts shorter and
// longer than the window, read in one run or in several, alone or together, with any room of the cache.
func TestWindowedCache(t *testing.T) {
	orttest.Require(t)
	rows, prompts := readWindowed(t)
	for _, tc := range []struct {
		capacity int64
		chunk    int
	}{{0, 0}, {0, 1}, {0, 3}, {0, 8}, {0, 11}, {8, 5}, {12, 0}, {12, 1}, {12, 5}, {12, 16}} {
		s := openWindowed(t, widened(t, tc.capacity), tc.chunk)
		if states := s.Info().Card.State; states[0].Kind != card.Rewritten || states[1].Kind != card.Growing || len(s.Info().Warnings) > 0 {
			t.Errorf("capacity %d: states %+v, warnings %q", tc.capacity, states, s.Info().Warnings)
		}
		logits, err := s.Logits(t.Context(), prompts)
		if err != nil {
			t.Fatalf("%+v: %v", tc, err)
		}
		for i, r := range rows {
			compare(t, logits[i], r.Logits, 1e-4)
		}
		twice := slices.Concat(prompts, prompts) // rows of equal length run together
		answers, err := runtime.Tokens(s.Generate(t.Context(), twice, runtime.GenerateOptions{MaxNew: 16, Stop: []int64{}}))
		if err != nil {
			t.Fatalf("%+v: %v", tc, err)
		}
		for i, a := range answers {
			if want := rows[i%len(rows)].Greedy; !slices.Equal(a, want) {
				t.Errorf("%+v: answer %d is %v, want %v", tc, i, a, want)
			}
		}
	}
}

// TestWindowedPrefix: what begins with a prefix is as without it, forks and longer prefixes too.
func TestWindowedPrefix(t *testing.T) {
	orttest.Require(t)
	_, prompts := readWindowed(t)
	long := prompts[len(prompts)-1]
	s := openWindowed(t, widened(t, 0), 4)
	forks := [][]int64{slices.Concat(long[:30], []int64{7, 9, 11}), slices.Concat(long[:30], []int64{200, 3, 90})}
	opt := runtime.GenerateOptions{MaxNew: 12, Stop: []int64{}, LogProbs: true}
	for _, n := range []int{1, 3, 8, 9, 20, 30} {
		p, err := s.Prefill(t.Context(), long[:n])
		if err != nil {
			t.Fatal(err)
		}
		longer, err := p.Extend(t.Context(), long[n:30])
		if n == 30 {
			longer, err = p, nil
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, prefix := range []*runtime.Prefix{p, longer} {
			for _, rows := range [][][]int64{forks[:1], forks[1:], forks} {
				want := generated(t, s, rows, opt)
				with := opt
				with.Prefix = prefix
				if got := generated(t, s, rows, with); !slices.EqualFunc(got, want, near) {
					t.Errorf("prefix of %d, %d rows: %v, want %v", n, len(rows), got, want)
				}
			}
		}
	}
}

// token is one of an answer with its logarithm of probability.
type token struct {
	id      int64
	logprob float64
}

func near(a, b token) bool {
	return a.id == b.id && max(a.logprob-b.logprob, b.logprob-a.logprob) < 1e-4
}

func generated(t *testing.T, s *runtime.Session, rows [][]int64, opt runtime.GenerateOptions) (list []token) {
	t.Helper()
	byRow := make([][]token, len(rows))
	for step, err := range s.Generate(t.Context(), rows, opt) {
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range step.Tokens {
			byRow[i] = append(byRow[i], token{id, step.LogProbs[i].Chosen})
		}
	}
	return slices.Concat(byRow...)
}

// TestWindowedBatcher: many callers at once have the answers that each has alone.
func TestWindowedBatcher(t *testing.T) {
	orttest.Require(t)
	rows, prompts := readWindowed(t)
	b, err := runtime.NewBatcher(openWindowed(t, widened(t, 0), 4), runtime.BatcherOptions{MaxRows: 4, Chunk: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var calls sync.WaitGroup
	for i := range 12 {
		calls.Go(func() {
			at := i % len(rows)
			answers, err := runtime.Tokens(b.Generate(t.Context(), prompts[at:at+1], runtime.GenerateOptions{MaxNew: 16, Stop: []int64{}}))
			if err != nil || !slices.Equal(answers[0], rows[at].Greedy) {
				t.Errorf("answer to prompt %d is %v, %v, want %v", at, answers, err, rows[at].Greedy)
			}
		})
	}
	calls.Wait()
}

// groupQuery is a GroupQueryAttention node that sees a window, 0 for none, with the inputs of caches that hold
// no more.
func groupQuery(window int64, caches ...string) *onnxpb.NodeProto {
	number := func(name string, v int64) *onnxpb.AttributeProto {
		return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeInt, I: &v}
	}
	return &onnxpb.NodeProto{Domain: "com.microsoft", OpType: "GroupQueryAttention", Input: append([]string{"q", "k", "v"}, caches...),
		Attribute: []*onnxpb.AttributeProto{number("local_window_size", window), number("sliding_window_cache", int64(len(caches)))}}
}

// TestWindowedRefused: a cache that is too small for its window, or of other axes, is refused by name.
func TestWindowedRefused(t *testing.T) {
	m, err := safety.Check(widened(t, 7), safety.Options{Domains: []string{"com.microsoft"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = foreign.Describe(m, foreigntest.Windowed(), false)
	if err == nil || !strings.Contains(err.Error(), "it has 7 slots, and its layer sees a window of 8 tokens") {
		t.Errorf("a small cache: %v", err)
	}
	m, err = safety.Check((foreigntest.Decoder{}).Filled(1).File(t), safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Inputs[3].Shape = m.Inputs[3].Shape[:3]
	m.Proto.Graph.Node = append(m.Proto.Graph.Node, groupQuery(8, m.Inputs[3].Name, m.Inputs[4].Name))
	if _, err = foreign.Describe(m, nil, false); err == nil || !strings.Contains(err.Error(), "has four axes") {
		t.Errorf("a cache of three axes: %v", err)
	}
}

// TestLacksWindow: a window next to a file whose nodes could have one, and have none, is told.
func TestLacksWindow(t *testing.T) {
	m, err := safety.Check((foreigntest.Decoder{}).Filled(1).File(t), safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	nodes := m.Proto.Graph.Node // in plain operators
	m.Proto.Graph.Node = append(nodes, groupQuery(0), groupQuery(0))
	const genai = `{"model": {"context_length": 128, "decoder": {"sliding_window": {"window_size": 16}}}}`
	for _, tc := range []struct {
		name, config string
		want         string // file and window; "" for no warning
	}{
		{"config.json", `{"sliding_window": 32, "max_position_embeddings": 128}`, "config.json beside the file says that layers see a window of 32 "},
		{"config.json", `{"text_config": {"sliding_window": 32}}`, "a window of 32 "},
		{"config.json", `{"sliding_window": 127, "max_position_embeddings": 128}`, "a window of 127 "},
		{"config.json", `{"sliding_window": 128, "max_position_embeddings": 128}`, ""},
		{"config.json", `{"sliding_window": null, "max_position_embeddings": 128}`, ""},
		{"config.json", `{"sliding_window": 32, "use_sliding_window": false}`, ""},
		{"config.json", `{"sliding_window": 32, "use_sliding_window": true}`, "a window of 32 "},
		{"config.json", `{"sliding_window": 32, "use_sliding_window": true, "max_window_layers": 4, "num_hidden_layers": 4}`, ""},
		{"config.json", `{"sliding_window": 32, "use_sliding_window": true, "max_window_layers": 3, "num_hidden_layers": 4}`, "a window of 32 "},
		{"config.json", `{"sliding_window": 32, "layer_types": ["full_attention"]}`, ""},
		{"config.json", `{"sliding_window": 32, "layer_types": ["full_attention", "sliding_attention"]}`, "a window of 32 "},
		{"config.json", `{"sliding_window": 32, "layer_types": []}`, "a window of 32 "},
		{"config.json", `{}`, ""},
		{"genai_config.json", genai, "genai_config.json beside the file says that layers see a window of 16 "},
	} {
		files := fstest.MapFS{tc.name: {Data: []byte(tc.config)}}
		d, err := foreign.Describe(m, files, false)
		got := strings.Join(d.Warnings, "; ")
		if err != nil || (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: warnings %q, error %v, want %q", tc.config, got, err, tc.want)
		}
	}
	beside := beside("config.json", `{"sliding_window": 32, "head_dim": 16, "num_key_value_heads": 2}`)
	m.Proto.Graph.Node = append(nodes, groupQuery(0), groupQuery(32))
	if d, err := foreign.Describe(m, beside, false); err != nil || len(d.Warnings) > 0 {
		t.Errorf("with the window: %q, %v", d.Warnings, err)
	}
	if m, err = safety.Check(unwindowed(t), safety.Options{Domains: []string{"com.microsoft"}}); err != nil {
		t.Fatal(err)
	}
	if d, err := foreign.Describe(m, beside, false); err != nil || len(d.Warnings) != 1 {
		t.Errorf("a file without it: %q, %v", d.Warnings, err)
	}
	m.Proto.Graph.Node = nodes
	if d, err := foreign.Describe(m, beside, false); err != nil || len(d.Warnings) > 0 {
		t.Errorf("in plain operators: %q, %v", d.Warnings, err)
	}
}
