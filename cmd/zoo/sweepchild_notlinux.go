//go:build unix && !linux

package main

import "syscall"

// childAttributes put a child into a group of its own, so that Ctrl-C reaches it
// once, from the sweep.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
