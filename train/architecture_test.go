package train_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// oldRun is a run that a program made, and its config.json was written, before the
// architecture was a key of its own: the Clockwork RNN stands as model.encoding. It was
// stopped after 2 of 4 steps; oldHash is what that program said of its configuration.
const (
	oldRun  = "testdata/old-cwrnn"
	oldHash = "d6efbd03d7389658c773b20e9389d1e0ce9f65f308b21f72402864e3e049305e"
)

// TestOldRun: such a run is what the same settings in the new form make, under the same
// hash.
func TestOldRun(t *testing.T) {
	was, err := runfile.ReadConfig(oldRun)
	if err != nil {
		t.Fatal(err)
	}
	if m := was.Model; m.Architecture != "cwrnn" || m.Encoding != "" || was.Dir("", "tiny", true) != "parity-cwrnn-tiny-s1" {
		t.Errorf("read as %+v, called %s", m, was.Dir("", "tiny", true))
	}
	now := was
	now.Model = models.Config{Architecture: "cwrnn", Encoding: "nope", DModel: 2, NLayers: 3, NUnits: 4, NModules: 2}
	if now, err = now.Resolve(); err != nil {
		t.Fatal(err)
	}
	c, err := runfile.ReadCheckpoint(filepath.Join(oldRun, "checkpoint-00000002.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	for what, hash := range map[string]string{"as read": was.Hash(), "made anew": now.Hash(),
		"of the checkpoint": c.Config.Hash()} {
		if hash != oldHash {
			t.Errorf("%s: hash %s, want %s", what, hash, oldHash)
		}
	}
	if _, err := train.Prepare(oldRun, now, 1, 0, false); err != nil {
		t.Errorf("the same run: %v", err)
	}
	if info, err := runfile.Describe(oldRun); err != nil || info.Encoding != "cwrnn" || info.Step != 2 {
		t.Errorf("described as %+v, %v", info, err)
	}
}

// TestOldRunGoesOn: it is resumed, and its last checkpoint tells the same hash.
func TestOldRunGoesOn(t *testing.T) {
	orttest.Require(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(oldRun)); err != nil {
		t.Fatal(err)
	}
	r, err := train.Resume(dir, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := losses(t, r)
	want := []float64{3.260220527648926, 3.191380023956299}
	if len(got) != len(want) || math.Abs(got[0]-want[0]) > 1e-4 || math.Abs(got[1]-want[1]) > 1e-4 {
		t.Errorf("losses %v, want %v", got, want)
	}
	if c := final(t, dir); c.Step != 4 || c.Config.Hash() != oldHash {
		t.Errorf("step %d, hash %s", c.Step, c.Config.Hash())
	}
}
