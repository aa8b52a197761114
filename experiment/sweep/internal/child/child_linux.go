// Package child says how a process is started that outlives no sweep and that Ctrl-C does
// not reach by itself.
package child

import "syscall"

// Attributes put a child into a group of its own, so that Ctrl-C reaches it
// once, from the sweep; and it saves and ends when the sweep dies.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
