//go:build unix

package child

import (
	"os/exec"
	"syscall"
	"time"
)

// EndWhole puts a child into a group of its own, which ends as a whole when the context of c does: what stands in the
// PATH may be a script, and the one that waits a process of its own.
func EndWhole(c *exec.Cmd) {
	c.SysProcAttr = Attributes()
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 5 * time.Second // one that left the group may hold the output open
}
