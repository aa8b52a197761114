package train_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// firstPhase trains a run for some steps, and returns a second phase of it that is of
// another encoding.
func firstPhase(t *testing.T, encoding string, steps int, next string) runfile.Config {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "first")
	r := start(t, dir, micro(encoding, steps))
	losses(t, r)
	r.Close()
	at, err := train.StartAt(dir)
	if err != nil {
		t.Fatal(err)
	}
	cfg := micro(next, 11)
	cfg.From = at
	cfg, _ = resolved(t, cfg)
	return cfg
}

// The common weights go on, with an optimizer and a schedule of their own and data that
// were not seen yet; the others go or begin anew, by name.
func TestSecondPhase(t *testing.T) {
	cfg := firstPhase(t, "learned", 5, "alibi-learned")
	was := final(t, cfg.From.Run)
	if cfg.From.Step != 5 || cfg.From.Updates != 5 {
		t.Errorf("it begins at step %d after %d updates, want 5 and 5", cfg.From.Step, cfg.From.Updates)
	}
	weights, about, err := train.Begin(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range weights {
		if kept := was.Weights[name]; kept != nil && !tensor.Equal(w, kept) || kept == nil && name != "log_slope" {
			t.Errorf("%s is not the first phase's", name)
		}
	}
	want := "begins with the weights of " + cfg.From.Run + ", step 5, without position.weight, with new log_slope"
	if len(weights) != len(was.Weights) || about != want {
		t.Errorf("%d weights; %s", len(weights), about)
	}
	dir := t.TempDir()
	r := start(t, dir, cfg)
	if r.Origin != about || r.Step() != 0 {
		t.Errorf("at step %d: %s", r.Step(), r.Origin)
	}
	seen, err := train.Drawn(r, 2)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := train.Draw(cfg, 7)
	if err != nil {
		t.Fatal(err)
	}
	if !tensor.Equal(seen[0].IDs, fresh[0].IDs) {
		t.Error("step 2 of the second phase has other data than step 7 of a first")
	}
	first := losses(t, r)[0]
	if without := losses(t, start(t, t.TempDir(), micro("alibi-learned", 1)))[0]; first > 0.98*without {
		t.Errorf("the first loss is %v, and %v without a first phase", first, without)
	}
	r.Close()
	last := final(t, dir)
	if about, err := last.Card(""); err != nil || about.Steps != 16 {
		t.Errorf("the card tells %d updates, want 16 (%v)", about.Steps, err)
	}
	third, err := train.StartAt(dir)
	if err != nil || third.Step != 11 || third.Updates != 16 {
		t.Errorf("a third phase begins at %+v (%v)", third, err)
	}
	cfg.Train.Seed = 4
	if name := cfg.Dir("", "tiny", false); name != "first-alibi-learned-s4" {
		t.Errorf("it is called %s", name)
	}
}

// Interrupted and resumed: the same bits, also where it was stopped before it began.
func TestSecondPhaseResumes(t *testing.T) {
	cfg := firstPhase(t, "rope", 3, "nope")
	cfg.Train.Dropout, cfg.Train.PoolSteps, cfg.Train.MicroTokens = 0.1, 4, 24
	testResume(t, cfg)
	whole, prepared := t.TempDir(), t.TempDir()
	losses(t, start(t, whole, cfg))
	if _, err := train.Prepare(prepared, cfg, 2, 0, true); err != nil {
		t.Fatal(err)
	}
	r, err := train.Resume(prepared, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	losses(t, r)
	sameWeights(t, final(t, prepared), final(t, whole))
	// Its own checkpoint is all that it needs to go on.
	if err := os.RemoveAll(cfg.From.Run); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if r, err = train.Resume(prepared, train.Options{}); err != nil {
		t.Fatal(err)
	}
	r.Close()
}

func TestSecondPhaseErrors(t *testing.T) {
	good := firstPhase(t, "learned", 2, "learned")
	for _, tc := range []struct {
		change func(*runfile.Config)
		want   string
	}{
		{func(c *runfile.Config) { c.Model.EncodingParams = json.RawMessage(`{"max_length":60}`) },
			"weight position.weight is [60 32], and in "},
		{func(c *runfile.Config) { c.Model.DModel = 16 }, "weight embed.weight is ["},
		{func(c *runfile.Config) { c.Model.Encoding, c.Model.Architecture = "cwrnn", "" },
			"model.architecture is cwrnn, and in "},
		{func(c *runfile.Config) { c.Train.Task, c.Train.Lengths, c.Model.VocabSize = "addition", "1..3", 0 },
			"task addition has another vocabulary than "},
		{func(c *runfile.Config) { c.From.Step = 1 }, "not there any more: checkpoint "},
		{func(c *runfile.Config) { c.From.Weights = strings.Repeat("0", 64) }, "and those there are others now"},
		{func(c *runfile.Config) { c.From.Weights = "0" }, "as zoo train --from stores them"},
		{func(c *runfile.Config) { c.From.Run = "" }, "as zoo train --from stores them"},
	} {
		c, from := good, *good.From
		c.From = &from
		tc.change(&c)
		dir := t.TempDir()
		if _, err := train.New(dir, c, train.Options{}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want one about %q", err, tc.want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%q is refused and leaves %v (%v)", tc.want, left, err)
		}
	}
	newest := filepath.Join(good.From.Run, "checkpoint-00000002.safetensors")
	if err := os.WriteFile(newest, []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := train.StartAt(good.From.Run); err == nil {
		t.Error("it begins at a damaged checkpoint")
	}
	if _, err := train.StartAt(t.TempDir()); err == nil {
		t.Error("it begins at a run that is not there")
	}
}

// The hash of a configuration without a start stays, and one with a start has its own.
func TestStartIsPartOfTheConfiguration(t *testing.T) {
	a, _ := resolved(t, micro("nope", 1))
	text, err := json.Marshal(a)
	if err != nil || strings.Contains(string(text), "from") {
		t.Errorf("without a start it is %s (%v)", text, err)
	}
	b := a
	b.From = &runfile.Start{Run: "runs/x", Step: 3, Updates: 3, Weights: strings.Repeat("0", 64)}
	if a.Hash() == b.Hash() {
		t.Error("two starts, one hash")
	}
	var again runfile.Config
	if text, err = json.Marshal(b); err == nil {
		err = json.Unmarshal(text, &again)
	}
	if diff := cmp.Diff(b.From, again.From); err != nil || diff != "" {
		t.Errorf("read again (%v):\n%s", err, diff)
	}
}

// The weights of a folder that others published are hashed where a run is planned, and no second time where it begins with the same
// files. What an import says of its origin is no hash of what it holds.
func TestStartHashesOnce(t *testing.T) {
	published, imported := filepath.Join(t.TempDir(), "llama"), filepath.Join(t.TempDir(), "imported")
	if err := os.CopyFS(published, os.DirFS("../modelfile/hf/testdata/pretrained/llama")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(published, "tokenizer.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := hf.Read(published)
	if err == nil {
		err = hf.Write(imported, m)
	}
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]int{published: 1, imported: 2} {
		var at *runfile.Start
		sums := train.Sums(func() {
			if at, err = train.StartAt(dir); err == nil {
				_, err = train.StartOf(at)
			}
		})
		if err != nil || sums != want {
			t.Errorf("%s: hashed %d times, want %d (%v)", dir, sums, want, err)
		}
		weights := filepath.Join(dir, "model.safetensors")
		data, err := os.ReadFile(weights)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)-2] ^= 1
		if err := os.WriteFile(weights, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := train.StartOf(at); err == nil || !strings.Contains(err.Error(), "and those there are others now") {
			t.Errorf("%s: other weights: %v", dir, err)
		}
	}
}
