//go:build !linux && !darwin

package main

// ask knows no way on this system.
func (m *machine) ask() {}
