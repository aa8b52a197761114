//go:build !(linux || darwin)

package clients

import "os/exec"

// alone does nothing: the client's own process is all that can be ended here.
func alone(*exec.Cmd) {}
