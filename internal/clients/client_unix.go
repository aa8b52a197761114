//go:build linux || darwin

package clients

import (
	"os/exec"
	"syscall"
)

// alone gives a client a process group, which ends as a whole: a client in the PATH may be a script
// that starts another process for downloads.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
