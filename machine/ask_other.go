//go:build !linux && !darwin

package machine

// ask knows no way on this system.
func (m *Machine) ask() {}
