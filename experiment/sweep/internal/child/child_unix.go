//go:build unix && !linux

package child

import "syscall"

// Attributes put a child into a group of its own, so that Ctrl-C reaches it
// once, from the sweep.
func Attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
