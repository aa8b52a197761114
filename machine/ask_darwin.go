package machine

import "syscall"

// ask reads the kernel's own tables (sysctl(3)).
func (m *Machine) ask() {
	if name, err := syscall.Sysctl("machdep.cpu.brand_string"); err == nil {
		m.Processor = name
	}
}
