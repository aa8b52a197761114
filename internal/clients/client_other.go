//go:build !(linux || darwin)

package clients

import "os/exec"

// alone does nothing: only the client's own process can be ended on this system.
func alone(*exec.Cmd) {}
