package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/train"
)

// TestLookAt checks what is made of a run directory and of Slurm's words. That of
// finished runs is in the scripts, which can train.
func TestLookAt(t *testing.T) {
	const begun, told = "/r/x: 3792 parameters, at most about 96.2 MiB of memory\n", "zoo: /r/x: train: loss NaN\n"
	const stopped = "zoo: training interrupted at step 2 of 4; everything is saved\n"
	const checkpoint, metrics = "checkpoint-00000002.safetensors", `{"step":2,"loss":1.5,"tokens":10,"seconds":1}` + "\n"
	for _, test := range []struct {
		name  string
		files map[string]string
		task  taskState
		want  sweepState
	}{
		{"not begun", nil, taskState{}, sweepState{State: sweepWaiting}},
		{"queued", nil, taskState{"PENDING", "Priority"}, sweepState{State: sweepWaiting, Slurm: "PENDING (Priority)"}},
		{"begins", map[string]string{logFile: begun}, taskState{"RUNNING", "None"}, sweepState{State: sweepRunning, Slurm: "RUNNING"}},
		{"failed", map[string]string{logFile: begun + told}, taskState{}, sweepState{State: sweepFailed, Error: "train: loss NaN"}},
		{"failed in Slurm", map[string]string{logFile: begun + told}, taskState{"FAILED", "NonZeroExitCode"},
			sweepState{State: sweepFailed, Error: "train: loss NaN", Slurm: "FAILED (NonZeroExitCode)"}},
		{"failed in several lines", map[string]string{logFile: begun + "zoo: /r/x: no usable\ncheckpoint\n"}, taskState{},
			sweepState{State: sweepFailed, Error: "no usable checkpoint"}},
		{"failed, tried again, killed", map[string]string{logFile: begun + told + begun}, taskState{}, sweepState{State: sweepWaiting}},
		{"failed, submitted again", map[string]string{logFile: begun + told}, taskState{"PENDING", ""}, sweepState{State: sweepWaiting, Slurm: "PENDING"}},
		{"stopped", map[string]string{logFile: begun + stopped, checkpoint: "", train.MetricsFile: metrics}, taskState{"CANCELLED", "None"},
			sweepState{State: sweepStopped, Step: 2, Loss: new(1.5), Slurm: "CANCELLED"}},
		{"killed", map[string]string{logFile: begun, "../slurm.log": "start\nslurmstepd: error: Detected 1 oom-kill event\n"}, taskState{"OUT_OF_MEMORY", "OutOfMemory"},
			sweepState{State: sweepFailed, Error: "slurmstepd: error: Detected 1 oom-kill event", Slurm: "OUT_OF_MEMORY (OutOfMemory)"}},
		{"killed without a word", map[string]string{logFile: begun}, taskState{"NODE_FAIL", ""},
			sweepState{State: sweepFailed, Error: "ended without a word", Slurm: "NODE_FAIL"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			r := train.SweepRun{Name: "x", Dir: filepath.Join(folder, "x")}
			cfg, err := configs.Load(configs.Sources{Preset: "tiny", Overrides: []configs.Value{{Key: "train.steps", Value: 4}}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Config, err = cfg.Config(""); err != nil {
				t.Fatal(err)
			}
			if test.files != nil {
				if err := r.Prepare(1); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range test.files {
				if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := lookAt(r, test.task, filepath.Join(folder, "slurm.log"))
			if err != nil {
				t.Fatal(err)
			}
			test.want.Name, test.want.Dir, test.want.Steps = "x", filepath.ToSlash(r.Dir), 4
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestNoSlurm(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("PATH", "")
	var stderr strings.Builder
	args := []string{"sweep", "--config", "demo", "--executor", "slurm"}
	if code := run(t.Context(), args, nil, io.Discard, &stderr); code != exitFailure || !strings.HasPrefix(stderr.String(), "zoo: sbatch is not on this machine's PATH: ") {
		t.Errorf("exit code %d, standard error %q", code, &stderr)
	}
	if _, err := os.Stat("runs"); err == nil {
		t.Error("run directories were made for a sweep that cannot be submitted")
	}
}
