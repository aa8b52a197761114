//go:build unix

package sweep

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/internal/graphtest"
)

func TestSlurmScript(t *testing.T) {
	big := script{Name: "big one", Program: "/opt/zoo's/zoo", Folder: "/data/100% of it", Provider: "cpu",
		Tasks:   []arrayTask{{2, 1, 4, 1000 << 20}, {3, 1, 8, 400 << 20}, {7, 1, 4, 900 << 20}},
		cluster: Cluster{CPUs: 4, MaxRunning: 2, Time: "1-12", Partition: "cpu", Args: []string{"--account=physics", "--comment=two words"}},
	}
	text, err := big.text()
	if err != nil {
		t.Fatal(err)
	}
	graphtest.Golden(t, "sweep.sbatch", text)
	graphtest.NoOtherGolden(t, "sweep.sbatch")
	big.cluster = Cluster{CPUs: 4, GPUs: "a100:2", Prologue: "module load cuda\n", Container: "zoo's.sif"}
	big.Provider = "cuda"
	for container, want := range map[string]string{
		"zoo's.sif":  `apptainer exec --bind '/data/100% of it' --nv 'zoo'\''s.sif' zoo sweep '/data/100% of it' &`,
		"pyxis:me/z": "srun --container-image=me/z '--container-mounts=/data/100% of it:/data/100% of it' zoo sweep '/data/100% of it' &",
	} {
		big.Program, big.cluster.Container = "zoo", container
		text, err := big.text()
		for _, line := range []string{"#SBATCH --gres=gpu:a100:2", "module load cuda", want} {
			if err != nil || !strings.Contains(text, "\n"+line+"\n") {
				t.Errorf("%s: error %v, no line %q in\n%s", container, err, line, text)
			}
		}
	}
	if _, err := (script{Folder: `/data/"runs"`, Program: "zoo", Tasks: []arrayTask{{}},
		cluster: Cluster{CPUs: 1}}).text(); err == nil || !strings.Contains(err.Error(), "a quotation mark") {
		t.Errorf("a folder that sbatch cannot be told: %v", err)
	}
}

// TestSlurmSignals runs the job script without Slurm, around a training that
// notes each SIGTERM and saves.
func TestSlurmSignals(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skipf("job scripts need bash: %v", err)
	}
	const saving = "echo TERM >>signals; sleep 0.2; exit 130"
	const usr1, term = syscall.SIGUSR1, syscall.SIGTERM
	for _, test := range []struct {
		name     string
		onTerm   string // what the training does
		scontrol string
		signals  []os.Signal
		code     int
		told     string // SIGTERMs to the training
		requeued string
	}{
		{"finished", saving, "exit 0", nil, 0, "", ""},
		{"limit", saving, "exit 0", []os.Signal{usr1}, 130, "TERM\n", "requeue 12_3\n"},
		{"limit twice", saving, "exit 0", []os.Signal{usr1, usr1}, 130, "TERM\n", "requeue 12_3\n"},
		{"cancelled", saving, "exit 0", []os.Signal{term}, 130, "TERM\n", ""},
		{"cancelled at the limit", saving, "exit 0", []os.Signal{usr1, term}, 130, "TERM\n", ""},
		{"limit, no step", "echo TERM >>signals; exit 1", "exit 0", []os.Signal{usr1}, 1, "TERM\n", ""},
		{"limit, not saved", "echo TERM >>signals; exit 5", "exit 0", []os.Signal{usr1}, 5, "TERM\n", ""},
		{"limit, finished", "echo TERM >>signals; exit 0", "exit 0", []os.Signal{usr1}, 0, "TERM\n", ""},
		{"limit, no requeue", saving, "exit 4", []os.Signal{usr1}, 1, "TERM\n", "requeue 12_3\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			end := "while :; do sleep 0.02; done"
			if len(test.signals) == 0 {
				end = "exit 0"
			}
			program(t, filepath.Join(dir, "zoo"), "trap '"+test.onTerm+"' TERM\necho \"$@\" >arguments\n"+end)
			program(t, filepath.Join(dir, "scontrol"), "echo \"$@\" >>requeued\n"+test.scontrol)
			text, err := script{Name: "x", Program: filepath.Join(dir, "zoo"), Folder: dir,
				Tasks: []arrayTask{{Index: 3}}, cluster: Cluster{CPUs: 1}}.text()
			if err != nil {
				t.Fatal(err)
			}
			c := exec.Command("bash", "-c", text)
			c.Dir = dir
			c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "SLURM_ARRAY_JOB_ID=12",
				"SLURM_ARRAY_TASK_ID=3")
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			awaitFile(t, filepath.Join(dir, "arguments"))
			for i, s := range test.signals {
				if i > 0 {
					awaitFile(t, filepath.Join(dir, "signals"))
				}
				if err := c.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			err = c.Wait()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if got := c.ProcessState.ExitCode(); got != test.code {
				t.Errorf("exit code %d, want %d", got, test.code)
			}
			for file, want := range map[string]string{"signals": test.told, "requeued": test.requeued,
				"arguments": "sweep " + dir + "\n"} {
				got, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				if string(got) != want {
					t.Errorf("%s: %q, want %q", file, got, want)
				}
			}
		})
	}
}

// program writes a shell script that can be run.
func program(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/usr/bin/env bash\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func awaitFile(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return
		}
	}
	t.Fatalf("%s was never written", path)
}

func TestSlurmValues(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"10": 10 * time.Minute, "10:30": 10*time.Minute + 30*time.Second, "4:00:00": 4 * time.Hour,
		"2-3": 51 * time.Hour, "2-3:30": 51*time.Hour + 30*time.Minute, "0-0:4:01": 4*time.Minute + time.Second,
	} {
		if got, err := parseTime(text); got != want || err != nil {
			t.Errorf("parseTime(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"soon": "want minutes, ", "4h": "want minutes, ",
		"3": "want at least 4 minutes", "0": "want at least 4 minutes", "": ""} {
		if err := checkLimit(text); want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("checkLimit(%q) = %v, want %q", text, err, want)
		}
	}
	for arg, want := range map[string]string{
		"--account=physics": "", "--exclusive": "", "-A physics": "long form", "account": "long form",
		"--array=1-3": "sets --array itself", "--requeue": "sets --requeue itself",
		"--arr=1-3": "sets --array itself", "--a=1": "sets --array itself", "--sig=B:USR1@5": "sets --signal itself",
		"--no-r":        "sets --no-requeue itself",
		"--nodelist=a1": "", "--ntasks-per-core=1": "", "--wait-all-nodes=1": "", "--arrays=1": "",
	} {
		if err := checkArg(arg); want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("checkArg(%q) = %v, want %q", arg, err, want)
		}
	}
	for _, test := range []struct {
		list []int
		want string
	}{{nil, ""}, {[]int{4}, "4"}, {[]int{1, 2, 3}, "1-3"}, {[]int{1, 3, 4, 9}, "1,3-4,9"}} {
		if got := ranges(test.list); got != test.want {
			t.Errorf("ranges(%v) = %q, want %q", test.list, got, test.want)
		}
	}
}

// Tasks that need as many cores and about as much memory are one array.
func TestGroups(t *testing.T) {
	s := script{Tasks: []arrayTask{{1, 1, 2, 1 << 20}, {2, 1, 4, 1 << 20}, {3, 2, 2, 3 << 30}, {4, 1, 2, 1 << 30}, {5, 1, 2, 4 << 30}, {6, 1, 2, 4<<30 + 1}}}
	var got [][]int
	for _, g := range s.groups() {
		got = append(got, g.indices())
	}
	if diff := cmp.Diff([][]int{{1, 4}, {2}, {3, 5}, {6}}, got); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}
