package main

import "syscall"

// childAttributes put a child into a group of its own, so that Ctrl-C reaches it
// once, from the sweep; and it saves and ends when the sweep dies.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
