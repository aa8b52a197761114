package sweep

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Cluster says what a cluster is asked for. An empty Partition and Time are the
// cluster's own.
type Cluster struct {
	Partition  string
	Time       string   // limit of one start of a run, as sbatch(1) has it: 4:00:00
	CPUs       int      // cores of each run whose configuration does not say; at least 1
	MaxRunning int      // runs at a time; 0: what there is room for
	Args       []string // further options of sbatch: --account=physics
	GPUs       string   // of each task: "1", "a100:2"; "" for none
	PerGPU     int      // runs at a time on each; below 1: 1
	Prologue   string   // lines of bash before the training: module load cuda
	// Container is an image that has the program zoo: for Apptainer, or after "pyxis:" for that plugin; "" for none.
	Container string
	// After are command lines of one more job, which Slurm begins when all tasks are over, nil for none; AfterFolder is a folder,
	// absolute, that they see in a container besides the sweep's.
	After       [][]string
	AfterFolder string
}

// gpus is how many a task has.
func (o Cluster) gpus() int {
	n, _ := strconv.Atoi(o.GPUs[strings.LastIndex(o.GPUs, ":")+1:]) // Check wants it
	return n
}

// Check returns an error for the first option that sbatch would not take, or that the
// job script sets itself. It begins with the option's name.
func (o Cluster) Check() error {
	if o.CPUs < 1 {
		return fmt.Errorf("cpus %d: want at least 1", o.CPUs)
	}
	if o.MaxRunning < 0 {
		return fmt.Errorf("max-running %d: want at least 1, or 0 for no bound", o.MaxRunning)
	}
	if o.GPUs != "" && !regexp.MustCompile(`^([A-Za-z0-9_.-]+:)?[0-9]{1,3}$`).MatchString(o.GPUs) {
		return fmt.Errorf("gpus %q: want a number, or a type with one, such as a100:1", o.GPUs)
	}
	for _, arg := range o.Args {
		if err := checkArg(arg); err != nil {
			return err
		}
	}
	return checkLimit(o.Time)
}

// checkLimit refuses a time limit that is none, or in which a run would hardly do
// more than begin and save.
func checkLimit(text string) error {
	if text == "" {
		return nil
	}
	limit, err := parseTime(text)
	if err != nil {
		return fmt.Errorf("time %q: %w", text, err)
	}
	if least := 2 * saveSeconds * time.Second; limit < least {
		return fmt.Errorf("time %q: want at least %d minutes, the last two of which are for saving",
			text, int(least.Minutes()))
	}
	return nil
}

// parseTime reads a time as sbatch(1) has it: minutes, minutes:seconds,
// hours:minutes:seconds, and days-hours, with minutes and seconds or without.
func parseTime(text string) (time.Duration, error) {
	m := regexp.MustCompile(`^(?:(\d{1,5})-)?(\d{1,8})(?::(\d{1,5}))?(?::(\d{1,5}))?$`).FindStringSubmatch(text)
	if m == nil {
		return 0, errors.New("want minutes, hours:minutes:seconds or days-hours")
	}
	var n [4]time.Duration // days and what follows; empty ones are 0
	for i, digits := range m[1:] {
		v, _ := strconv.Atoi(digits) // digits, and few
		n[i] = time.Duration(v)
	}
	switch {
	case m[1] != "" || m[4] != "":
		return n[0]*24*time.Hour + n[1]*time.Hour + n[2]*time.Minute + n[3]*time.Second, nil
	default:
		return n[1]*time.Minute + n[2]*time.Second, nil
	}
}

// ownOptions are the options of sbatch that the script depends on.
var ownOptions = []string{"array", "output", "error", "open-mode", "requeue", "no-requeue", "signal", "wrap",
	"parsable", "test-only", "wait", "ntasks", "nodes"}

// checkArg accepts an option in the long form that works in a script.
func checkArg(arg string) error {
	m := regexp.MustCompile(`^--([a-z][a-z0-9-]*)(=.*)?$`).FindStringSubmatch(arg)
	if m == nil {
		return fmt.Errorf("sbatch-arg %q: want an option of sbatch in its long form, such as "+
			"--sbatch-arg=--account=physics", arg)
	}
	// sbatch takes the beginning of an option's name for the whole (getopt_long(3)).
	for _, own := range ownOptions {
		if strings.HasPrefix(own, m[1]) {
			return fmt.Errorf("sbatch-arg %q: zoo sweep sets --%s itself", arg, own)
		}
	}
	return nil
}

// tooLarge adds the cause to Slurm's refusal of an array, which names none. Slurm's default bound is 1001.
func tooLarge(err error, last int) error {
	if !strings.Contains(err.Error(), "Invalid job array specification") {
		return err
	}
	return fmt.Errorf("%w; the last task has the number %d, and this cluster's must be below "+
		"what scontrol show config gives as MaxArraySize: divide the sweep into several files", err, last)
}
