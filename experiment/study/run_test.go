//go:build unix

package study

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo"
)

// An interrupt while a run is measured is said to be one, also when all are trained.
func TestInterruptedMeasuring(t *testing.T) {
	t.Chdir(t.TempDir())
	s := opened(t)
	if err := s.Only("copy-nope-tiny-short-s1"); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	told := 0
	all, err := s.Run(ctx,
		// It leaves nothing to measure, which fails, and lasts until the first report is over.
		sweep.Training{Command: []string{"sh", "-c", "sleep 0.3"}}, zoo.Options{},
		func(text string) {
			if told++; !strings.Contains(text, ": not measured: ") {
				t.Errorf("told %q", text)
			}
			for begun := time.Now(); ; time.Sleep(time.Millisecond) {
				if held, err := files.Held(filepath.Join(s.Trains, "lock")); err == nil && !held {
					break // training has ended
				}
				if time.Since(begun) > 10*time.Second {
					t.Error("training does not end")
					break
				}
			}
			interrupt()
		})
	if !errors.Is(err, train.ErrInterrupted) || told != 1 {
		t.Errorf("error %v after %d measurements", err, told)
	}
	if len(all) != 1 || all[0].State != sweep.Failed {
		t.Errorf("statuses %+v, want a run that failed", all)
	}
}
