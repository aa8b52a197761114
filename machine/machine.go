// Package machine describes the computer that a program runs on.
package machine

import (
	"fmt"
	goruntime "runtime"
)

// Machine describes a computer, as far as its system tells.
type Machine struct {
	Processor  string   `json:"processor"`
	Cores      int      `json:"cores"`             // that this process may use
	Features   []string `json:"features"`          // instruction sets by which ONNX Runtime picks its kernels
	Memory     int64    `json:"memory_bytes"`      // 0 where unknown
	MemoryFree int64    `json:"memory_free_bytes"` // 0 where unknown
}

// This describes the computer as it is now.
func This() Machine {
	m := Machine{Processor: goruntime.GOARCH, Cores: goruntime.NumCPU(), Features: []string{}}
	m.ask()
	return m
}

// String is the name of the machine in result rows: processor and cores.
func (m Machine) String() string { return fmt.Sprintf("%s, %d cores", m.Processor, m.Cores) }
