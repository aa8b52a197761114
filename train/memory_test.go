package train_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Where two lanes do not fit but one does, a run begins with one and keeps it; where not
// even one fits, or the lanes are given, nothing changes.
func TestFitLanes(t *testing.T) {
	cfg := micro("nope", 2)
	cfg.Train.Batch, cfg.Train.MicroTokens = 64, 256
	cfg, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	memory := func(lanes int) int64 {
		t.Helper()
		c := cfg
		c.Train.Lanes = lanes
		cost, err := train.EstimateCost(c)
		if err != nil {
			t.Fatal(err)
		}
		return cost.Memory
	}
	fit := func(c runfile.Config, free int64, want int) runfile.Config {
		t.Helper()
		got, err := train.FitLanes(c, free)
		if err != nil || got.Train.Lanes != want {
			t.Errorf("%d bytes free: train.lanes %d, %v, want %d", free, got.Train.Lanes, err, want)
		}
		return got
	}
	if memory(2) != memory(0) || memory(1) >= memory(2) {
		t.Fatalf("%d bytes with one lane, %d with two, %d where that is open", memory(1), memory(2), memory(0))
	}
	fit(cfg, 0, 0)
	fit(cfg, memory(2), 0)
	fit(cfg, memory(1)-1, 0)
	given := cfg
	given.Train.Lanes = 2
	fit(given, memory(2)-1, 2)
	if err := train.CheckMemory(given, memory(2)-1); err == nil || !strings.Contains(err.Error(), "would do with train.lanes=1") {
		t.Errorf("two lanes that do not fit: %v", err)
	}
	one := fit(cfg, memory(2)-1, 1)
	if err := train.CheckMemory(one, memory(2)-1); err != nil {
		t.Error(err)
	}

	// The lane is stored, and another machine with more memory takes it over.
	dir := t.TempDir() + "/run"
	if _, err := train.Prepare(dir, cfg, 2, memory(2)-1, true); err != nil {
		t.Fatal(err)
	}
	again, err := train.Prepare(dir, cfg, 2, 0, false)
	if err != nil || again.Hash() != one.Hash() {
		t.Errorf("the run has train.lanes %d (%v), want the same as at its start", again.Train.Lanes, err)
	}
	orttest.Require(t)
	r, err := train.Resume(dir, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Config().Train.Lanes != 1 {
		t.Errorf("it is resumed with train.lanes %d", r.Config().Train.Lanes)
	}
}

// The number of examples that a refusal names is the greatest that fits.
func TestCheckMemory(t *testing.T) {
	cfg, err := micro("nope", 1).Resolve()
	if err != nil {
		t.Fatal(err)
	}
	const free = 1 << 30
	cfg.Train.Examples = 1 << 30
	refused := func(free int64) *train.MemoryError {
		t.Helper()
		var m *train.MemoryError
		if err := train.CheckMemory(cfg, free); !errors.As(err, &m) || m.Free != free || m.Needed <= free {
			t.Fatalf("error %v, want a MemoryError", err)
		}
		return m
	}
	m := refused(free)
	if _, err := fmt.Sscanf(m.Remedy, "train.examples up to %d would do,", &cfg.Train.Examples); err != nil {
		t.Fatalf("%v: %v", m, err)
	}
	if err := train.CheckMemory(cfg, free); err != nil {
		t.Errorf("%v, but that many do not fit: %v", m, err)
	}
	cfg.Train.Examples++
	refused(free)
	if err := train.CheckMemory(cfg, 0); err != nil {
		t.Errorf("nobody knows how much is free: %v", err)
	}

	if m := refused(1 << 20); !strings.HasPrefix(m.Remedy, "no train.micro_tokens") {
		t.Errorf("%v, where the model does not fit", m)
	}
	cfg.Train.Examples, cfg.Train.Batch = 0, 1<<20
	m = refused(free)
	_, setting, _ := strings.Cut(m.Remedy, " would do with train.micro_tokens=")
	if cfg.Train.MicroTokens, err = strconv.Atoi(setting); err != nil {
		t.Fatalf("%v: %v", m, err)
	}
	if err := train.CheckMemory(cfg, free); err != nil {
		t.Errorf("%v, but with that: %v", m, err)
	}
}

// TestMemoryOfRuns: a run that would not fit is refused before anything is written, and timed as little.
func TestMemoryOfRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	var m *train.MemoryError
	if _, err := train.New(dir, micro("nope", 1), train.Options{Memory: 1}); !errors.As(err, &m) {
		t.Errorf("begun: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a directory was made")
	}
	if _, err := train.PaceOf(t.Context(), micro("nope", 1), train.Options{Memory: 1}, 0); !errors.As(err, &m) {
		t.Errorf("timed: %v", err)
	}
}
