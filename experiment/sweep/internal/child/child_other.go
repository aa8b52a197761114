//go:build !unix

package child

import "syscall"

// Attributes know nothing to say on this system.
func Attributes() *syscall.SysProcAttr { return nil }
