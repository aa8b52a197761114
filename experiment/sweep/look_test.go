package sweep

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// TestLookAt checks what is made of a run directory and of Slurm's words. That of
// finished runs is in the scripts, which can train.
func TestLookAt(t *testing.T) {
	const begun, told = "/r/x: 3792 parameters, at most about 96.2 MiB of memory\n", "zoo: /r/x: train: loss NaN\n"
	const stopped = "zoo: training interrupted at step 2 of 4; everything is saved\n"
	const checkpoint, metrics = "checkpoint-00000002.safetensors",
		`{"step":2,"loss":1.5,"tokens":10,"seconds":1}` + "\n"
	const perfect, flawed = `{"step":2,"eval":{"sequence_accuracy":1}}` + "\n",
		`{"step":2,"eval":{"sequence_accuracy":0.5}}` + "\n"
	for _, test := range []struct {
		name  string
		files map[string]string
		task  taskState
		want  Status
	}{
		{"not begun", nil, taskState{}, Status{State: Waiting}},
		{"queued", nil, taskState{State: "PENDING", Reason: "Priority"},
			Status{State: Waiting, Slurm: "PENDING (Priority)"}},
		{"begins", map[string]string{logFile: begun}, taskState{State: "RUNNING", Reason: "None"},
			Status{State: Running, Slurm: "RUNNING"}},
		{"failed", map[string]string{logFile: begun + told}, taskState{},
			Status{State: Failed, Error: "train: loss NaN"}},
		{"failed in Slurm", map[string]string{logFile: begun + told},
			taskState{State: "FAILED", Reason: "NonZeroExitCode"},
			Status{State: Failed, Error: "train: loss NaN", Slurm: "FAILED (NonZeroExitCode)"}},
		{"failed in several lines", map[string]string{logFile: begun + "zoo: /r/x: no usable\ncheckpoint\n"},
			taskState{},
			Status{State: Failed, Error: "no usable checkpoint"}},
		{"failed, tried again, killed", map[string]string{logFile: begun + told + begun}, taskState{},
			Status{State: Waiting}},
		{"failed, submitted again", map[string]string{logFile: begun + told},
			taskState{State: "PENDING", Reason: ""}, Status{State: Waiting, Slurm: "PENDING"}},
		{"stopped", map[string]string{logFile: begun + stopped, checkpoint: "", journal.MetricsFile: metrics},
			taskState{State: "CANCELLED", Reason: "None"},
			Status{State: Stopped, Step: 2, Loss: new(1.5), Slurm: "CANCELLED"}},
		{"fitted", map[string]string{checkpoint: "", journal.MetricsFile: metrics + perfect},
			taskState{State: "CANCELLED", Reason: "None"},
			Status{State: Stopped, Step: 2, FittedStep: new(2), Loss: new(1.5), Slurm: "CANCELLED"}},
		{"evaluated, some lines damaged", map[string]string{checkpoint: "",
			journal.MetricsFile: metrics + flawed + "{\n" + metrics},
			taskState{State: "CANCELLED", Reason: "None"},
			Status{State: Stopped, Step: 2, Loss: new(1.5), Slurm: "CANCELLED"}},
		{"evaluated", map[string]string{checkpoint: "", journal.MetricsFile: metrics + flawed},
			taskState{State: "CANCELLED", Reason: "None"},
			Status{State: Stopped, Step: 2, FittedStep: new(0), Loss: new(1.5), Slurm: "CANCELLED"}},
		{"killed", map[string]string{logFile: begun, "../slurm.log": "start\nslurmstepd: " +
			"error: Detected 1 oom-kill event\n"}, taskState{State: "OUT_OF_MEMORY", Reason: "OutOfMemory"},
			Status{State: Failed, Error: "slurmstepd: error: Detected 1 oom-kill event",
				Slurm: "OUT_OF_MEMORY (OutOfMemory)"}},
		{"killed without a word", map[string]string{logFile: begun}, taskState{State: "NODE_FAIL", Reason: ""},
			Status{State: Failed, Error: "ended without a word", Slurm: "NODE_FAIL"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			r := Run{Name: "x", Dir: filepath.Join(folder, "x"), Config: config(t, 4)}
			if test.files != nil {
				if err := prepare([]Run{r}, 1, 0); err != nil {
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
			test.want.Encoding = "nope"
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// config is the configuration of a run of few steps of a small model.
func config(t *testing.T, steps int) runfile.Config {
	t.Helper()
	cfg, err := runfile.Config{
		Model: models.Config{Encoding: "nope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32},
		Train: runfile.Recipe{Task: "copy", Lengths: "1..3", Steps: steps, Batch: 4, LR: 1e-3, Beta1: 0.9, Beta2: 0.99,
			Eps:             1e-8,
			CheckpointEvery: 100, KeepCheckpoints: 1},
	}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}
