package train_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/train"
)

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
