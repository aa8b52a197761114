//go:build slurm && linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/train/journal"
)

// slurmPatience is how long anything here may take that takes seconds: machines stall.
const slurmPatience = 5 * time.Minute

// TestSlurm sends sweeps through a real Slurm. Three runs are cut short in the
// three ways there are, and must end as the same runs do without.
func TestSlurm(t *testing.T) {
	startCluster(t)
	t.Chdir(t.TempDir())
	config := "model: {d_model: 16, n_layers: 1, n_heads: 2, d_ff: 32}\n"
	writeFile(t, "cut.yaml", config+"encodings: [nope, rope, alibi]\n"+
		"train: {lengths: 1..3, steps: 30000, batch: 4, checkpoint_every: 1000000, threads: 1}\n")
	writeFile(t, "short.yaml", config+"encodings: [learned]\ngrid: {model.encoding_params.max_length: [8, 64]}\n"+
		"train: {lengths: 3..4, steps: 4, batch: 4, warmup: 2, threads: 1}\n")
	t.Run("Cut", testCut)
	t.Run("Failure", testFailure)
	t.Run("GPUs", testGPUs)
	t.Run("Study", testStudy)
}

// testStudy sends a study; a job after its runs measures it and draws its page.
func testStudy(t *testing.T) {
	if err := os.MkdirAll("studies/little", 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "studies/little/sweep.yaml", "model: {d_model: 16, n_layers: 1, n_heads: 2, d_ff: 32}\nencodings: [nope, rope]\n"+
		"train: {lengths: 1..3, steps: 2, batch: 4, warmup: 0, threads: 1}\nbench: {lengths: \"2,4\", n: 4}\n")
	runZoo(t, "study", "studies/little", "--executor", "slurm", "--sbatch-arg=--mem=500M")
	job := readJob(t, "runs/little")
	awaitEnd(t, submitted{ID: job.After})
	said := readFile(t, filepath.Join("runs/little", "slurm-"+job.After+".log"))
	if !strings.Contains(said, "2 runs: 2 measured") || !strings.Contains(said, "report.html: 4 rows") {
		t.Errorf("the job after the runs says\n%s", said)
	}
	if _, err := os.Stat("runs/little/report.html"); err != nil {
		t.Error(err)
	}
	if said := runZoo(t, "study", "studies/little", "--json"); strings.Count(said, `"measured"`) != 2 {
		t.Errorf("the study's runs are\n%s", said)
	}
}

// testGPUs has tasks hold a GPU, on each of which two runs are trained, on the provider that is there: WebGPU, where a driver is.
// One that is not there fails at once.
func testGPUs(t *testing.T) {
	writeFile(t, "cards.yaml", "encodings: [nope, rope]\nseeds: [1, 2]\nmodel: {d_model: 8, n_layers: 1, n_heads: 2, d_ff: 16}\n"+
		"train: {lengths: 2..3, steps: 3, batch: 2, threads: 1}\n")
	writeFile(t, "prologue.sh", "echo the prologue")
	log := func(folder string, index int) string {
		return readFile(t, filepath.Join(folder, fmt.Sprintf("slurm-%s_%d.log", readJob(t, folder).ID, index)))
	}
	runZoo(t, "sweep", "--config", "cards.yaml", "--runs", "absent", "--executor", "slurm", "--provider", "cuda", "--per-gpu", "4",
		"--prologue", "prologue.sh")
	awaitEnd(t, readJob(t, "absent/cards"))
	said := log("absent/cards", 1)
	if _, err := ort.Devices("cuda"); err != nil && (!strings.Contains(said, "zoo: ") || !strings.Contains(said, "cuda") ||
		strings.Contains(said, ": begins") || !strings.Contains(said, "ended with exit code 1")) {
		t.Errorf("a provider that is not there did not end the task at once:\n%s", said)
	}
	if !strings.HasPrefix(said, "the prologue\n") {
		t.Errorf("the task has no prologue:\n%s", said)
	}
	if held := command(t, "scontrol", "--oneliner", "show", "job", readJob(t, "absent/cards").ID); !strings.Contains(held, "gpu:1") {
		t.Errorf("the task held no GPU: %s", held)
	}
	if _, unusable, err := ort.Probe("webgpu", ""); err != nil || unusable != nil {
		t.Skip("no provider webgpu: ", err, unusable)
	}
	runZoo(t, "sweep", "--config", "cards.yaml", "--executor", "slurm", "--provider", "webgpu", "--per-gpu", "2", "--prologue", "prologue.sh")
	job := readJob(t, "runs/cards")
	if !slices.Equal(job.Tasks, []int{1, 2}) {
		t.Errorf("tasks %v, want 1 and 2", job.Tasks)
	}
	awaitEnd(t, job)
	for _, s := range status(t, []string{"sweep", "--config", "cards.yaml"}) {
		steps, err := journal.Tail(s.Dir)
		if s.State != sweep.Finished || s.Slurm != "COMPLETED" || err != nil || len(steps) != 3 || steps[2].Provider != "webgpu" {
			t.Errorf("%+v, steps %+v, error %v; task 1 says\n%s", s, steps, err, log("runs/cards", 1))
		}
	}
}

// testCut cuts runs short: one is requeued, one nears its time limit, one is
// cancelled and submitted again.
func testCut(t *testing.T) {
	const folder = "runs of 100%/cut" // a name that a shell and sbatch would take apart
	verb := []string{"sweep", "--config", "cut.yaml", "--runs", "runs of 100%"}
	submit := append(verb[:len(verb):len(verb)], "--executor", "slurm", "--time", "10",
		"--sbatch-arg=--comment=two words")
	names := []string{"copy-nope-tiny-s1", "copy-rope-tiny-s1", "copy-alibi-tiny-s1"}
	runZoo(t, submit...)
	job := readJob(t, folder)
	if !slices.Equal(job.Tasks, []int{1, 2, 3}) {
		t.Fatalf("tasks %v, want 1 to 3", job.Tasks)
	}
	for _, name := range names {
		awaitLines(t, filepath.Join(folder, name, "metrics.jsonl"), 100)
	}
	command(t, "scontrol", "requeue", job.ID+"_1")
	command(t, "scancel", "--batch", "--signal=USR1", job.ID+"_2") // what --signal=B:USR1@120 does
	command(t, "scancel", job.ID+"_3")
	if said, err := exec.Command("zoo", submit...).CombinedOutput(); err == nil ||
		!strings.Contains(string(said), "of this sweep wait or run") {
		t.Errorf("submitting it twice: %v\n%s", err, said)
	}
	awaitEnd(t, job)
	got := map[string]string{}
	for _, s := range status(t, verb) {
		got[s.Name] = s.State + ", " + s.Slurm
	}
	if diff := cmp.Diff(map[string]string{
		names[0]: "finished, COMPLETED", names[1]: "finished, COMPLETED", names[2]: "stopped, CANCELLED",
	}, got); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}

	runZoo(t, submit...)
	again := readJob(t, folder)
	if !slices.Equal(again.Tasks, []int{3}) {
		t.Errorf("tasks of what was left %v, want 3", again.Tasks)
	}
	awaitEnd(t, again)

	runZoo(t, "sweep", "--config", "cut.yaml", "--runs", "whole", "--workers", "2")
	for i, name := range names {
		log := readFile(t, filepath.Join(folder, name, "train.log"))
		for _, part := range []string{"zoo: training interrupted at step ", "everything is saved",
			"going on from step "} {
			if !strings.Contains(log, part) {
				t.Errorf("%s was not cut short, saved and resumed: its log lacks %q:\n%s", name, part, log)
			}
		}
		own := readFile(t, filepath.Join(folder, fmt.Sprintf("slurm-%s_%d.log", job.ID, i+1)))
		if starts, want := strings.Count(own, ": start "), map[bool]int{true: 2, false: 1}[i < 2]; starts != want {
			t.Errorf("%s was started %d times by its first job, want %d:\n%s", name, starts, want, own)
		}
		last := filepath.Join(name, "checkpoint-00030000.safetensors")
		if readFile(t, filepath.Join(folder, last)) != readFile(t, filepath.Join("whole/cut", last)) {
			t.Errorf("%s ended with other bits than without an interruption", name)
		}
	}
}

// testFailure checks that a run that fails is a task that fails.
func testFailure(t *testing.T) {
	verb := []string{"sweep", "--config", "short.yaml"}
	runZoo(t, append(verb[:len(verb):len(verb)], "--executor", "slurm", "--max-running", "1")...)
	awaitEnd(t, readJob(t, "runs/short"))
	all := status(t, verb)
	if s := all[0]; s.State != sweep.Failed || !strings.HasPrefix(s.Slurm, "FAILED") ||
		!strings.Contains(s.Error, "has a sequence of") {
		t.Errorf("a run that cannot be trained is %+v", s)
	}
	if s := all[1]; s.State != sweep.Finished || s.Slurm != "COMPLETED" {
		t.Errorf("another run is %+v", s)
	}
	out := command(t, "scontrol", "--oneliner", "show", "job", readJob(t, "runs/short").ID+"_1")
	if !strings.Contains(out, " ExitCode=1:0 ") {
		t.Errorf("the task did not end with zoo's exit code 1: %s", out)
	}
}

func runZoo(t *testing.T, args ...string) string { t.Helper(); return command(t, "zoo", args...) }

// command runs a program and returns what it prints.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), slurmPatience)
	defer cancel()
	var out, complaint bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = &out, &complaint
	if err := c.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, &out, &complaint)
	}
	return out.String()
}

func status(t *testing.T, verb []string) []sweep.Status {
	t.Helper()
	var out []sweep.Status
	if err := json.Unmarshal([]byte(runZoo(t, append(verb[:len(verb):len(verb)], "--status", "--json")...)),
		&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// awaitYes asks until the answer is yes.
func awaitYes(t *testing.T, what string, ask func() bool) {
	t.Helper()
	for deadline := time.Now().Add(slurmPatience); !ask(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, slurmPatience)
		}
	}
}

func awaitLines(t *testing.T, path string, n int) {
	t.Helper()
	awaitYes(t, path, func() bool {
		data, err := os.ReadFile(path)
		return err == nil && bytes.Count(data, []byte("\n")) >= n
	})
}

// awaitEnd waits until no task of a job waits or runs.
func awaitEnd(t *testing.T, job submitted) {
	t.Helper()
	awaitYes(t, "the end of job "+job.ID, func() bool {
		out, err := exec.Command("squeue", "--jobs="+job.ID, "--noheader", "--format=%T").CombinedOutput() // of tasks that are not over
		if strings.Contains(string(out), "Socket timed out") {
			return false // the machine is busy
		}
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return len(bytes.TrimSpace(out)) == 0
	})
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
