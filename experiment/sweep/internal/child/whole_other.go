//go:build !unix

package child

import (
	"os/exec"
	"time"
)

// EndWhole ends the child's own process when the context of c does, which is all that can be ended here.
func EndWhole(c *exec.Cmd) { c.WaitDelay = 5 * time.Second }
