package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestWithRemedy(t *testing.T) {
	if err := withRemedy(fmt.Errorf("write x: %w", syscall.ENOSPC)); !errors.Is(err, syscall.ENOSPC) ||
		!strings.Contains(err.Error(), "free some space") {
		t.Errorf("a full disk: %v", err)
	}
	if err := withRemedy(syscall.EACCES); err != syscall.EACCES {
		t.Errorf("no permission: %v", err)
	}
}

func TestNoSlurm(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("PATH", "")
	var stderr strings.Builder
	args := []string{"sweep", "--config", "demo", "--executor", "slurm"}
	if code := run(t.Context(), args, nil, io.Discard, &stderr); code != exitFailure ||
		!strings.HasPrefix(stderr.String(), "zoo: sbatch is not on this machine's PATH: ") {
		t.Errorf("exit code %d, standard error %q", code, &stderr)
	}
	if _, err := os.Stat("runs"); err == nil {
		t.Error("run directories were made for a sweep that cannot be submitted")
	}
}

// What cannot be interrupted is left when the program is to end; all else ends by itself.
func TestUnlessEnded(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	blocked := make(chan bool)
	defer close(blocked)
	err := unlessEnded(ctx, 0, func() error {
		end()
		<-blocked
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("blocked: %v", err)
	}
	saved := errors.New("interrupted, and all is saved")
	if err := unlessEnded(ctx, time.Hour, func() error { return saved }); err != saved {
		t.Errorf("ended by itself: %v", err)
	}
}
