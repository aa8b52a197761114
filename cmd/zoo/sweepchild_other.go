//go:build !unix

package main

import "syscall"

// childAttributes know nothing to say on this system.
func childAttributes() *syscall.SysProcAttr { return nil }

// lockFolder knows no lock on this system.
func lockFolder(string) (unlock func(), err error) { return func() {}, nil }
