package train_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// One flipped bit anywhere in a checkpoint is seen: every bit of the header, and
// bits all over the elements.
func TestFlippedBit(t *testing.T) {
	cfg := micro("nope", 1)
	cfg.Model.DModel, cfg.Model.DFF, cfg.Model.NLayers = 4, 4, 1
	dir := t.TempDir()
	losses(t, start(t, dir, cfg))
	good, err := os.ReadFile(filepath.Join(dir, "checkpoint-00000001.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	header := slices.Index(good, '}') // the end of the metadata, at least
	path := filepath.Join(t.TempDir(), "flipped.safetensors")
	for at := 0; at < len(good); {
		bad := slices.Clone(good)
		bad[at] ^= 1 << (at % 8)
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := runfile.ReadCheckpoint(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("bit %d of byte %d of %d flipped: error %v, want one with the path", at%8, at, len(good), err)
		}
		if at++; at > header {
			at += len(good) / 500
		}
	}
}

// A damaged newest checkpoint must not push the good one before it out.
func TestDamagedCheckpointIsNotKept(t *testing.T) {
	cfg := micro("nope", 8)
	cfg.Train.KeepCheckpoints, cfg.Train.CheckpointEvery = 1, 1
	dir := t.TempDir()
	losses(t, start(t, dir, cfg))
	newest := filepath.Join(dir, "checkpoint-00000008.safetensors")
	data, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(newest, filepath.Join(dir, "checkpoint-00000099.safetensors")); err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	if err := os.WriteFile(filepath.Join(dir, "checkpoint-00000100.safetensors"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := train.Prune(dir, 99, 1, 0); err != nil {
		t.Fatal(err)
	}
	c, skipped, err := runfile.Latest(dir)
	if err != nil || c.Step != 8 || len(skipped) != 1 || !strings.Contains(skipped[0].Error(), "is damaged") {
		t.Errorf("got %+v, skipped %v, error %v; want step 8 and the damaged one named", c, skipped, err)
	}
}
