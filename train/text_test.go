package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/tasktest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/tokenizer"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// textConfig is a run on a corpus of documents of different sizes.
func textConfig(t *testing.T) (runfile.Config, []task.Document) {
	t.Helper()
	var documents []task.Document
	for i := range 40 {
		documents = append(documents, task.Document{Text: strings.Repeat(fmt.Sprintf("%c%d ", 'a'+i%26, i), 2+i)})
	}
	path := tasktest.WriteCorpus(t, "alphabet.jsonl", documents)
	c := runfile.Config{
		Model: models.Config{Encoding: "alibi", DModel: 8, NLayers: 1, NHeads: 2, DFF: 16},
		Train: runfile.Recipe{Task: "text:" + path, Lengths: "16..16", Seed: 3, Steps: 10, Batch: 4, LR: 1e-3, Beta1: 0.9, Beta2: 0.98,
			Eps: 1e-8, CheckpointEvery: 5, KeepCheckpoints: 1},
	}
	c, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return c, documents
}

func TestTextConfig(t *testing.T) {
	c, _ := textConfig(t)
	if c.Model.VocabSize != 258 || c.Train.Tokenizer != "" || !strings.Contains(c.Train.Task, ".jsonl#") ||
		!strings.HasPrefix(c.Dir("", "tiny", true), "text-alphabet-") {
		t.Errorf("%+v", c)
	}
	named := c
	named.Train.Tokenizer = "byte"
	if named, err := named.Resolve(); err != nil || named.Hash() != c.Hash() {
		t.Errorf("bytes by name are another configuration: %v", err)
	}
	for want, change := range map[string]func(*runfile.Recipe){
		"train.lengths 16..32: running text is cut into windows of one length": func(r *runfile.Recipe) { r.Lengths = "16..32" },
		"cannot be mixed with tasks that have answers":                         func(r *runfile.Recipe) { r.Task += ",copy"; r.Lengths = "16..16" },
		"a corpus is made of bytes or subwords":                                func(r *runfile.Recipe) { r.Tokenizer = "char" },
		"a corpus is a fixed set already":                                      func(r *runfile.Recipe) { r.Examples = 5 },
		"no model predicts running text without a mistake":                     func(r *runfile.Recipe) { r.EvalEvery, r.StopAfterPerfect = 1, 1 },
	} {
		other := c
		change(&other.Train)
		if _, err := other.Resolve(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	// more text than there is
	long := c
	long.Train.Lengths = "65536..65536"
	s, err := newSource(long)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.at(0); err == nil || !strings.Contains(err.Error(), "less than a window of 65536") {
		t.Errorf("error %v", err)
	}
}

// The directory says the tokenizer where that is not the default, in words that a folder may have; the names of
// runs that have none are as they were, and so is the directory of a run that began under the old name.
func TestDirTokenizer(t *testing.T) {
	c, _ := textConfig(t)
	old := filepath.Join("runs", c.Dir("", "tiny", true))
	if got := c.Dir("runs", "tiny", false); got != old {
		t.Errorf("%s, want %s", got, old)
	}
	for rule, want := range map[string]string{"bpe:512": "alibi-tiny-bpe512-s3", "bpe:1024": "alibi-tiny-bpe1024-s3",
		"char": "alibi-tiny-char-s3"} {
		c.Train.Tokenizer = rule
		if got := c.Dir("runs", "tiny", false); !strings.HasSuffix(got, "-"+want) || filepath.Dir(got) != "runs" {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
	}
	plain := c
	plain.Train.Task, plain.Train.Lengths, plain.Train.Tokenizer, plain.Model.VocabSize = "copy", "1..5", "char", 0
	folder := t.TempDir()
	c, err := plain.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	begun := filepath.Join(folder, "copy-alibi-tiny-s3")
	stored, err := json.Marshal(withThreads(c, 7))
	if err == nil {
		err = errors.Join(os.Mkdir(begun, 0o755), os.WriteFile(filepath.Join(begun, runfile.ConfigFile), stored, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Dir(folder, "tiny", false); got != begun {
		t.Errorf("a run of before is looked for in %s", got)
	}
	c.Train.Steps++ // another run
	if got := c.Dir(folder, "tiny", false); got != filepath.Join(folder, "copy-alibi-tiny-char-s3") {
		t.Errorf("another run is in %s", got)
	}
}

// An epoch has every token of the training documents as a label once, except the end of the
// stream, in an order that is another one in the next epoch.
func TestTextEpoch(t *testing.T) {
	c, documents := textConfig(t)
	s, err := newSource(c)
	if err != nil {
		t.Fatal(err)
	}
	want := map[int64]int{}
	tokens := 0
	for _, d := range documents {
		if task.SplitOf(d.Text) != task.Train {
			continue
		}
		ids, err := s.tok.Encode(t.Context(), d.Text)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range append(ids, tokenizer.EOS) {
			want[id]++
			tokens++
		}
	}
	var epochs [2][]string
	for e := range epochs {
		got, labels := map[int64]int{}, 0
		for n := range (tokens - 1) / 16 {
			q, err := s.text.window(e*((tokens-1)/16) + n)
			if err != nil {
				t.Fatal(err)
			}
			if len(q.ids) != 17 || q.start != 1 {
				t.Fatalf("a window of %d tokens, %d of them context", len(q.ids), q.start)
			}
			for _, id := range q.ids[1:] {
				got[id]++
				labels++
			}
			text, err := s.tok.Decode(q.ids)
			if err != nil {
				t.Fatal(err)
			}
			epochs[e] = append(epochs[e], text)
		}
		missing := 0
		for id, n := range want {
			if got[id] > n {
				t.Errorf("token %d is %d labels, and %d times in the text", id, got[id], n)
			}
			missing += n - got[id]
		}
		if missing != tokens-labels || missing > 16 {
			t.Errorf("%d of %d tokens are no label", missing, tokens)
		}
	}
	if slices.Equal(epochs[0], epochs[1]) {
		t.Error("two epochs are the same")
	}
	text, err := Text(c)
	if err != nil || !strings.Contains(text, fmt.Sprintf("%.1f epochs", 640/float64(tokens))) {
		t.Errorf("%s, %v; want %d tokens", text, err, tokens)
	}
	plain := c
	plain.Train.Task, plain.Train.Lengths = "copy", "1..5"
	if _, err := Text(plain); !errors.Is(err, ErrNoText) {
		t.Errorf("error %v, want ErrNoText", err)
	}
}

// What a step sees is the same whichever steps were drawn before, on every label of a window
// the same weight.
func TestTextResume(t *testing.T) {
	c, _ := textConfig(t)
	through, err := newSource(c)
	if err != nil {
		t.Fatal(err)
	}
	for step := range 200 { // several epochs
		a, err := through.at(step)
		if err != nil {
			t.Fatal(err)
		}
		if step%37 != 0 {
			continue
		}
		fresh, err := newSource(c)
		if err != nil {
			t.Fatal(err)
		}
		b, err := fresh.at(step)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tensor.Data[int64](a[0].IDs), tensor.Data[int64](b[0].IDs)); diff != "" {
			t.Fatalf("step %d: %s", step, diff)
		}
		for _, w := range tensor.Data[float32](a[0].Weights) {
			if w != 1/float32(4*16) {
				t.Fatalf("step %d: weight %v", step, w)
			}
		}
	}
}

// The best evaluation is the one of the fewest bits per byte.
func TestTextEvaluation(t *testing.T) {
	c, _ := textConfig(t)
	m, err := c.Data()
	if err != nil {
		t.Fatal(err)
	}
	weights, _, err := Begin(c)
	if err != nil {
		t.Fatal(err)
	}
	var p runfile.Progress
	for i, bits := range []float64{2.5, 2.25, 2.75} {
		e, err := summarize(i+1, m, []journal.Result{{Length: 16, N: 4, Bits: &bits}, {Length: 32, N: 4, Bits: new(3.0)}, {Length: 64}})
		if err != nil {
			t.Fatal(err)
		}
		if *e.Bits != bits || *e.Further != 3 || e.Accuracy != nil {
			t.Errorf("%+v", e)
		}
		note(&p, &e, 0)
		if e.Best != (i < 2) {
			t.Errorf("%v bits: best %v", bits, e.Best)
		}
	}
	if p.BestStep != 2 || p.BestScore != -2.25 || p.Fitted != nil || p.Evaluated != 3 {
		t.Errorf("%+v", p)
	}
	path := filepath.Join(t.TempDir(), "checkpoint")
	if err := files.WriteAtomic(path, (&runfile.Checkpoint{Config: c, Step: 3, Weights: weights, M: weights, V: weights, Progress: p}).Write); err != nil {
		t.Fatal(err)
	}
	if again, err := runfile.ReadCheckpoint(path); err != nil || again.Progress.Fitted != nil {
		t.Errorf("a run on text is said to have fitted: %+v, %v", again, err)
	}
	if _, err := summarize(1, m, []journal.Result{{Length: 32, Bits: new(3.0)}}); err == nil ||
		!strings.Contains(err.Error(), "lower train.lengths") {
		t.Errorf("error %v", err)
	}
}
