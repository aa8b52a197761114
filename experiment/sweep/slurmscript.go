package sweep

import (
	"fmt"
	"regexp"
	"strings"
	"text/template"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/runtime/engine"
)

// The job scripts, in the sweep's folder: of the tasks, of further groups of them, and of the job after them.
const scriptFile, groupFile, afterFile = "sweep.sbatch", "sweep-%d.sbatch", "after.sbatch"

// arrayTask is an element of a job array: runs of the sweep, under its number there, which
// stays the same from one submission to the next.
type arrayTask struct {
	Index   int
	Runs    int
	Threads int
	Memory  int64 // bytes, as predicted
}

// script is the job script of a sweep.
type script struct {
	Name   string // of the sweep
	Folder string // of the sweep, absolute: a task may begin anywhere
	Tasks  []arrayTask
	// Program is zoo, absolute unless it is a container's: zoo sweep FOLDER trains a task. At SIGTERM it has to save and to end
	// with the exit code 130.
	Program  string
	Provider string
	cluster  Cluster
}

// groups has the tasks in groups that need alike: as many cores, and memory up to the same power of two, 1 GiB or more. Slurm gives
// all tasks of an array as much as the largest has to have.
func (s script) groups() (out []script) {
	type need struct {
		threads int
		memory  int64
	}
	place := map[need]int{}
	for _, t := range s.Tasks {
		n := need{t.Threads, 1 << 30}
		for n.memory < t.Memory {
			n.memory *= 2
		}
		i, there := place[n]
		if !there {
			i, place[n] = len(out), len(out)
			group := s
			group.Tasks = nil
			out = append(out, group)
		}
		out[i].Tasks = append(out[i].Tasks, t)
	}
	return out
}

// file is the script of the i-th group.
func (s script) file(i int) string {
	if i == 0 {
		return scriptFile
	}
	return fmt.Sprintf(groupFile, i+1)
}

// scriptOptions are the lines for sbatch and the user's own, in each job script.
const scriptOptions = `{{range .Options}}#SBATCH {{.}}
{{end}}{{with .Prologue}}
# --prologue
{{.}}
{{end}}`

// saveSeconds is how long before its time limit a task is told to save.
const saveSeconds = 120

// scriptText is the job script, without the lines for sbatch.
//
// Who is told what (tested against Slurm 22.05): --signal=B: signals the shell
// alone. scancel, scontrol requeue and preemption send SIGTERM to every process
// of the task, so that zoo may get it twice, from Slurm and from here; to zoo
// that is one wish. What ends a training late is the cluster's KillWait.
var scriptText = template.Must(template.New("").Parse(`#!/bin/bash
# Tasks of the sweep {{.Name}}, whose runs {{.File}} beside this file lists.
# Written by: zoo sweep --executor slurm
` + scriptOptions + `
say() { echo "$(date '+%Y-%m-%dT%H:%M:%S')  task $SLURM_ARRAY_TASK_ID: $*"; }

# Asks the training to save and end, once, and notes what for.
stop() {
	woken=yes
	[ -z "$why" ] && [ -n "$child" ] && kill -TERM "$child" 2>/dev/null
	[ "$why" = told ] || why=$1
}
why= child=
trap 'stop time' USR1 # the time limit is near
trap 'stop told' TERM # scancel, scontrol requeue, preemption

say "start $((${SLURM_RESTART_COUNT:-0} + 1)) on $(hostname)"
{{range .Lines}}{{.}} &{{end}}
child=$!
[ -n "$why" ] && kill -TERM "$child" 2>/dev/null # it came before there was a child
woken=yes
while [ -n "$woken" ]; do # a signal ends the wait, not the training
	woken=
	wait "$child"
	code=$?
done
say "ended with exit code $code"

# Stopped and saved (130) because of the time limit: a new start goes on. Where a
# task is preempted or requeued by hand, Slurm starts it again by itself.
if [ "$why" = time ] && [ "$code" = 130 ]; then
	say "to be started again"
	scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" || exit 1
fi
exit "$code"
`))

// text returns the script as bash reads it.
func (s script) text() (string, error) {
	return s.execute(scriptText, [][]string{{s.Program, "sweep", s.Folder}}, s.sbatch())
}

// afterText is the script of the job after the tasks.
var afterText = template.Must(template.New("").Parse(`#!/bin/bash
# Begins when all tasks of the sweep {{.Name}} are over.
` + scriptOptions + `
{{range .Lines}}{{.}}
{{end}}`))

// afterText returns the script of the job after jobs of these numbers.
func (s script) afterText(jobs []string) (string, error) {
	memory := int64(1 << 30) // what measures takes more than training a small model
	for _, t := range s.Tasks {
		memory = max(memory, t.Memory)
	}
	return s.execute(afterText, s.cluster.After, []string{"--job-name=zoo-" + s.Name + "-after",
		"--dependency=afterany:" + strings.Join(jobs, ":"), "--nodes=1", "--ntasks=1", "--cpus-per-task=1",
		fmt.Sprintf("--mem=%dM", memoryMiB(memory)), "--output=" + s.log("%j")})
}

// execute fills in a script that runs commands, with options for sbatch before those that the user gives: of a repeated one the last
// counts.
func (s script) execute(text *template.Template, commands [][]string, options []string) (string, error) {
	if s.cluster.Partition != "" {
		options = append(options, "--partition="+s.cluster.Partition)
	}
	if s.cluster.Time != "" {
		options = append(options, "--time="+s.cluster.Time)
	}
	options = append(options, s.cluster.Args...)
	for i, o := range options {
		var err error
		if options[i], err = sbatchWord(o); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	lines := lists.Map(commands, func(c []string) string { return human.Shell(s.inContainer(c)...) })
	err := text.Execute(&b, map[string]any{"Name": s.Name, "File": arrayFile, "Lines": lines, "Options": options,
		"Prologue": strings.TrimSpace(s.cluster.Prologue)})
	return b.String(), err
}

// log is the pattern of a file of Slurm's messages, in which % begins what Slurm fills in.
func (s script) log(pattern string) string {
	return strings.ReplaceAll(s.Folder, "%", "%%") + "/slurm-" + pattern + ".log"
}

// pyxis begins the name of an image for Slurm's plugin of that name.
const pyxis = "pyxis:"

// inContainer runs a command, in a container where there is one, which sees the folders of the sweep and of what comes after it.
func (s script) inContainer(command []string) []string {
	folders := []string{s.Folder}
	if s.cluster.AfterFolder != "" {
		folders = append(folders, s.cluster.AfterFolder)
	}
	image := s.cluster.Container
	switch name, isPyxis := strings.CutPrefix(image, pyxis); {
	case image == "":
		return command
	case isPyxis:
		mounts := lists.Map(folders, func(f string) string { return f + ":" + f })
		return append([]string{"srun", "--container-image=" + name, "--container-mounts=" + strings.Join(mounts, ",")}, command...)
	}
	out := []string{"apptainer", "exec"}
	for _, f := range folders {
		out = append(out, "--bind", f)
	}
	if s.Provider == engine.CUDA {
		out = append(out, "--nv")
	}
	return append(append(out, image), command...)
}

// sbatch lists the options for sbatch that a task array needs.
func (s script) sbatch() []string {
	threads, memory := 1, int64(0)
	for _, t := range s.Tasks {
		threads, memory = max(threads, t.Threads), max(memory, t.Memory)
	}
	array := ranges(s.indices())
	if s.cluster.MaxRunning > 0 {
		array += fmt.Sprintf("%%%d", s.cluster.MaxRunning)
	}
	out := []string{"--job-name=zoo-" + s.Name, "--array=" + array, "--nodes=1", "--ntasks=1",
		fmt.Sprintf("--cpus-per-task=%d", threads), fmt.Sprintf("--mem=%dM", memoryMiB(memory)),
		"--output=" + s.log("%A_%a"), "--open-mode=append", "--requeue", fmt.Sprintf("--signal=B:USR1@%d", saveSeconds)}
	if s.cluster.gpus() > 0 {
		out = append(out, "--gres=gpu:"+s.cluster.GPUs)
	}
	return out
}

// memoryMiB is how much memory to ask for, in MiB: a quarter more than is
// predicted, for what evaluations and the script take.
func memoryMiB(predicted int64) int64 { return (predicted/4*5)>>20 + 1 }

// sbatchWord quotes an option so that sbatch, which takes lines apart in a way of
// its own, reads it back as it is.
func sbatchWord(s string) (string, error) {
	if regexp.MustCompile(`^[A-Za-z0-9_=./,:+@%-]+$`).MatchString(s) {
		return s, nil
	}
	if strings.ContainsAny(s, "\"\\\n\r") {
		return "", fmt.Errorf("%q: sbatch cannot be given a quotation mark, a backslash or a line break; "+
			"choose another name", s)
	}
	return `"` + s + `"`, nil
}

// indices are the numbers of the tasks.
func (s script) indices() []int {
	return lists.Map(s.Tasks, func(t arrayTask) int { return t.Index })
}

// ranges writes increasing numbers briefly: "1-3,7".
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := fmt.Sprint(list[i])
		if j > i {
			part += fmt.Sprintf("-%d", list[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}
