package main

import goruntime "runtime"

// machine describes the computer, as far as its system tells.
type machine struct {
	Processor  string   `json:"processor"`
	Cores      int      `json:"cores"` // that this process may use
	Features   []string `json:"features"`
	Memory     int64    `json:"memory_bytes"`      // 0 where unknown
	MemoryFree int64    `json:"memory_free_bytes"` // 0 where unknown
}

func thisMachine() machine {
	m := machine{Processor: goruntime.GOARCH, Cores: goruntime.NumCPU(), Features: []string{}}
	m.ask()
	return m
}
