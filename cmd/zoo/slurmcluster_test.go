//go:build slurm && linux

package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"text/template"
	"time"
)

// clusterConfig is a Slurm of one node, this machine, that touches nothing
// outside its folder: no control groups, no accounting, its own munge. The node
// claims four processors, so that three runs are at work at once. Credentials
// that expire soon let a requeued task begin soon.
var clusterConfig = template.Must(template.New("").Parse(`ClusterName=zootest
SlurmctldHost={{.Host}}(127.0.0.1)
SlurmctldPort={{.ControlPort}}
SlurmdPort={{.NodePort}}
SlurmUser={{.User}}
SlurmdUser={{.User}}
AuthType=auth/munge
AuthInfo=socket={{.Dir}}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={{.Dir}}/state
SlurmdSpoolDir={{.Dir}}/spool
SlurmctldPidFile={{.Dir}}/slurmctld.pid
SlurmdPidFile={{.Dir}}/slurmd.pid
PlugStackConfig=/dev/null
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=1,sched_interval=2
SlurmdParameters=config_overrides
ReturnToService=2
GresTypes=gpu
NodeName={{.Host}} NodeAddr=127.0.0.1 Port={{.NodePort}} CPUs=4 RealMemory=8000 Gres=gpu:2 State=UNKNOWN
PartitionName=main Nodes={{.Host}} Default=YES MaxTime=INFINITE State=UP
`))

// startCluster starts munged, slurmctld and slurmd for the time of the test, and
// points Slurm's commands at them.
func startCluster(t *testing.T) {
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatalf("%v; install Debian's packages slurmctld, slurmd, slurm-client and munge, or run: make test-slurm",
				err)
		}
	}
	dir, err := os.MkdirTemp("", "zoo-slurm") // t.TempDir is too long for a socket's name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	for _, sub := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	key := make([]byte, 128)
	rand.Read(key) // never fails
	writeFile(t, filepath.Join(dir, "munge.key"), string(key))
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	ports := freePorts(t, 2)
	var config strings.Builder
	err = clusterConfig.Execute(&config, map[string]any{"Host": host, "User": me.Username, "Dir": dir,
		"ControlPort": ports[0], "NodePort": ports[1]})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "slurm.conf")
	writeFile(t, path, config.String())
	for _, card := range []string{"gpu0", "gpu1"} { // which are no devices
		writeFile(t, filepath.Join(dir, card), "")
	}
	writeFile(t, filepath.Join(dir, "gres.conf"), "Name=gpu File="+dir+"/gpu[0-1]\n")
	t.Setenv("SLURM_CONF", path)

	daemon(t, "munged", "--foreground", "--force", "--key-file="+dir+"/munge.key", "--socket="+dir+"/munge.socket",
		"--pid-file="+dir+"/munged.pid", "--seed-file="+dir+"/munged.seed", "--num-threads=2")
	awaitYes(t, "munge", func() bool {
		c := exec.Command("munge", "--socket="+dir+"/munge.socket")
		c.Stdin = strings.NewReader("")
		return c.Run() == nil
	})
	daemon(t, "slurmctld", "-D", "-f", path)
	daemon(t, "slurmd", "-D", "-f", path, "-N", host)
	awaitYes(t, "the node", func() bool {
		out, err := exec.Command("sinfo", "--noheader", "--format=%T").Output()
		return err == nil && strings.TrimSpace(string(out)) == "idle"
	})
	t.Cleanup(func() { cancelAll(t, me.Username) })
}

// cancelAll leaves no task behind that would outlive the daemons.
func cancelAll(t *testing.T, me string) {
	if out, err := exec.Command("scancel", "--full", "--signal=KILL", "--user="+me).CombinedOutput(); err != nil {
		t.Logf("scancel: %v\n%s", err, out)
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if out, err := exec.Command("squeue", "--noheader").Output(); err != nil || len(bytes.TrimSpace(out)) == 0 {
			return
		}
	}
	t.Error("tasks are left that do not end")
}

// daemon runs a program until the end of the test, or of this process, and shows
// what it said where the test fails.
func daemon(t *testing.T, name string, args ...string) {
	t.Helper()
	var said bytes.Buffer
	c := exec.Command(name, args...)
	c.Stdout, c.Stderr = &said, &said
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	c.WaitDelay = time.Second // of what a grandchild holds open
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(20*time.Second, func() { c.Process.Kill() })
		c.Wait() // its exit code says nothing
		late.Stop()
		if t.Failed() {
			t.Logf("%s said:\n%s", name, &said)
		}
	})
}

// freePorts returns ports of this machine that nobody listens at.
func freePorts(t *testing.T, n int) []string {
	t.Helper()
	var out []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		out = append(out, fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
	}
	return out
}
