package bench

import (
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime/engine"
)

func loadOf(t *testing.T, encoding, profile string) workload {
	t.Helper()
	data, _, err := untrainedOn(t, encoding, "copy", profile).ONNX()
	if err != nil {
		t.Fatal(err)
	}
	file, err := safety.Check(data, safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	described, err := foreign.Describe(file, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWorkload(file, described.Card, described.Contract)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Counted by hand for the model of untrained: one layer, D = 16, two heads of 8,
// F = 32, V = 106.
func TestWorkload(t *testing.T) {
	const d, f, v = 16, 32, 106
	w := loadOf(t, "nope", card.Portable)
	weights := float64(4 * (v*d + 4*d*d + 2*d*f + 3*d))
	if w.weights != weights || w.vocab != v || w.oneStep {
		t.Fatalf("%v bytes of weights, %d ids, one step: %v; want %v, %d", w.weights, w.vocab, w.oneStep, weights, v)
	}
	const batch, length, fresh = 64, 20, 4 // in chunks of 16 and 4
	got, err := w.work(batch, length, fresh)
	if err != nil {
		t.Fatal(err)
	}
	perToken := 2.0 * (4*d*d + 2*d*f)
	attention := func(n, total int) float64 { return 2 * 2 * float64(n*total*d) } // q·k and weights·v
	head := 2.0 * d * v                                                           // for the last token of a run
	state := func(tokens int) float64 { return 2 * 4 * float64(tokens*d) }
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"prefill FLOPs", got.PrefillFLOPs, batch * (20*perToken + attention(16, 16) + attention(4, 20) + 2*head)},
		{"prefill bytes", got.PrefillBytes, 2*weights + batch*(state(20)+state(16)+2*4*v)},
		{"decode FLOPs", got.DecodeFLOPs, batch * (perToken + attention(1, 23) + head)},
		{"decode bytes", got.DecodeBytes, weights + batch*(state(23)+4*v)},
	} {
		if x.got != x.want {
			t.Errorf("%s: %v, want %v", x.name, x.got, x.want)
		}
	}
}

// Every encoding is counted; with the length memory grows linearly at most.
func TestWorkloadOfEncodings(t *testing.T) {
	for _, encoding := range models.Encodings() {
		w := loadOf(t, encoding, card.Portable)
		work, err := w.work(1, 64, 8)
		if err != nil || work.PrefillFLOPs <= 0 || work.DecodeBytes <= w.weights {
			t.Errorf("%s: work %+v, error %v", encoding, work, err)
		}
		var m [3]int64
		for i, length := range []int{1 << 14, 1 << 15, 1 << 16} {
			if m[i], err = w.memory(1, length, 8); err != nil {
				t.Fatalf("%s: %v", encoding, err)
			}
		}
		if a, b := m[1]-m[0], m[2]-m[1]; a < 0 || math.Abs(float64(b-2*a)) > 0.01*float64(b)+8 {
			t.Errorf("%s: memory grows by %d, then %d bytes", encoding, a, b)
		}
		_, recurrent := pe.Find(encoding)
		bounded := recurrent != nil || encoding == "swa" // recurrent, or a window
		if grows := w.grows(1, 2); grows == bounded {
			t.Errorf("%s: the state grows: %v", encoding, grows)
		}
	}
}

func TestNeedFits(t *testing.T) {
	w := loadOf(t, "rope", card.Portable)
	needs := need(func(length, batch int) (int64, error) { return w.memory(batch, length, 8) })
	free, err := needs(5000, 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := needs.checkFits(5000, 4, free, "about"); err != nil {
		t.Errorf("what fits is refused: %v", err)
	}
	if err := needs.checkFits(100000, 4, 0, "about"); err != nil {
		t.Errorf("refused where the free memory is not known: %v", err)
	}
	err = needs.checkFits(100000, 4, free, "about")
	var length, batch int
	if _, scan := fmt.Sscanf(after(err, "; "), "the largest length that fits is %d", &length); scan != nil ||
		!strings.HasPrefix(err.Error(), "length 100000 at batch 4 needs about") {
		t.Fatalf("error %v", err)
	}
	if more, _ := needs(length+1, 4); length < 5000 || more <= free {
		t.Errorf("%d is no largest length: the next takes %d of %d bytes", length, more, free)
	}
	err = needs.checkFits(5000, 400, free, "about")
	if _, scan := fmt.Sscanf(after(err, "at length 5000 "), "the largest batch is %d", &batch); scan != nil {
		t.Fatalf("error %v", err)
	}
	if more, _ := needs(5000, batch+1); batch < 4 || more <= free {
		t.Errorf("%d is no largest batch: the next takes %d of %d bytes", batch, more, free)
	}
	if err := needs.checkFits(10, 4, 1, "about"); err == nil ||
		!strings.HasSuffix(err.Error(), "; not even a length of 1 fits") {
		t.Errorf("error %v", err)
	}
}

// after returns what follows a mark in an error's text.
func after(err error, mark string) string {
	if err == nil {
		return ""
	}
	_, text, _ := strings.Cut(err.Error(), mark)
	return text
}

// Samples and batches of a task that do not fit are refused, with what would; those
// of an absurd length without being made.
func TestCheckSamples(t *testing.T) {
	g := group{load: loadOf(t, "rope", card.Portable)}
	g.card = card.Card{Tokenizer: tasktest.Vocabulary(lookup(t, "copy"))}
	cfg := eval.Config{Task: lookup(t, "copy"), N: 100, Batch: 32}
	check := func(length int, change func(*eval.Config)) error {
		t.Helper()
		cfg := cfg
		change(&cfg)
		return g.checkSamples(cfg, length, 1<<28)
	}
	if err := check(200, func(*eval.Config) {}); err != nil {
		t.Errorf("what fits is refused: %v", err)
	}
	err := check(200, func(c *eval.Config) { c.N = eval.MaxSamples })
	var most int
	if _, scan := fmt.Sscanf(after(err, "; "), "the largest n that fits is %d", &most); scan != nil ||
		!strings.Contains(err.Error(), "task copy: n is 1048576, and at length 200 needs about") {
		t.Fatalf("error %v", err)
	}
	if err := check(200, func(c *eval.Config) { c.N = most }); err != nil {
		t.Errorf("the largest n: %v", err)
	}
	if err := check(200, func(c *eval.Config) { c.N = most + 1 }); err == nil {
		t.Errorf("%d is not the largest n", most)
	}
	err = check(task.MaxLength, func(*eval.Config) {})
	if _, scan := fmt.Sscanf(after(err, "; "), "the largest length that fits is %d", &most); scan != nil ||
		!strings.Contains(err.Error(), "task copy: length 1048576 at batch 32 needs") {
		t.Fatalf("error %v", err)
	}
	if err := check(most, func(c *eval.Config) { c.N = 32 }); err != nil {
		t.Errorf("the largest length: %v", err)
	}
	g.card.Tokenizer = tasktest.Vocabulary(lookup(t, "addition+full"))
	if err := check(task.MaxLength, func(c *eval.Config) { c.Task = lookup(t, "addition+full") }); err == nil ||
		!strings.Contains(err.Error(), "needs more than") {
		t.Errorf("a scratchpad of 10¹² characters: %v", err)
	}
}

// The peaks are positive; how large is the machine's affair.
func TestPeaks(t *testing.T) {
	if bandwidth(2) <= 0 {
		t.Error("no bandwidth")
	}
	library := orttest.Require(t)
	onnxruntime, err := engine.Find(engine.CPU)
	if err != nil {
		t.Fatal(err)
	}
	p, err := measurePeaks(t.Context(), onnxruntime, 1, library)
	if err != nil || p.FLOPS <= 0 || p.Bandwidth <= 0 {
		t.Errorf("peaks %+v, error %v", p, err)
	}
}

// TestWorkloadOfOthers counts what a file of Optimum's computes, whose axes have other names.
func TestWorkloadOfOthers(t *testing.T) {
	packed, err := os.Open("../../export/foreign/testdata/optimum/llama.onnx.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	file, err := safety.Check(data, safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	described, err := foreign.Describe(file, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWorkload(file, described.Card, described.Contract)
	if err != nil {
		t.Fatal(err)
	}
	const batch, past, fresh = 2, 3, 2
	// 2 layers of width 32, 4 heads of 8, 2 of keys and values, 48 features in a gated block; 64 tokens; 4 angles.
	token := 2*(2*32*32+2*32*16+3*32*48+2*32*(past+fresh)) + 32*64 + 4
	if got, _, err := w.run(batch, past, fresh); err != nil || got != float64(2*batch*fresh*token) {
		t.Errorf("%v operations, %v, want %d", got, err, 2*batch*fresh*token)
	}
	if file, err = safety.Check(data, safety.Options{}); err != nil { // reading took the weights of the first
		t.Fatal(err)
	}
	described.Contract.Inputs[described.Contract.IDs].Shape = []string{"batch_size", "another"}
	if w, err = newWorkload(file, described.Card, described.Contract); err == nil || w.graph != nil || !strings.Contains(err.Error(), "sequence_length") {
		t.Errorf("with an axis that nothing names: %v", err)
	}
}

// The forms of one model demand the same work, with graphs of any operators.
func TestWorkloadOfProfiles(t *testing.T) {
	for _, encoding := range models.Encodings() {
		var works []eval.Cost
		for _, profile := range []string{card.Portable, card.Fused} {
			load := loadOf(t, encoding, profile)
			work, err := load.work(3, 100, 8)
			if err != nil {
				t.Fatal(err)
			}
			works = append(works, work)
		}
		if works[0] != works[1] {
			t.Errorf("%s: portable %+v, fused %+v", encoding, works[0], works[1])
		}
	}
}

// A run reads what is there of a state and writes what is new; a state that is rewritten is read and written whole.
func TestMoved(t *testing.T) {
	shape := func(slots string) []string { return []string{card.Batch, "2", slots, "8"} }
	for _, tc := range []struct {
		state card.State
		want  float64
	}{
		{card.State{Shape: shape(card.Past), Kind: card.Growing, Axis: 2}, 4 * 3 * 2 * 9 * 8},
		{card.State{Shape: shape(card.Room), Kind: card.InPlace, Axis: 2}, 4 * 3 * 2 * 9 * 8},
		{card.State{Shape: shape("7")}, 2 * 4 * 3 * 2 * 7 * 8},
		{card.State{Shape: []string{card.Batch, "5"}}, 2 * 4 * 3 * 5},
	} {
		if got := moved(tc.state, 3, 7, 2); got != tc.want {
			t.Errorf("%v: %v bytes, want %v", tc.state.Shape, got, tc.want)
		}
	}
}
