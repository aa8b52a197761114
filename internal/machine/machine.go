// Package machine describes the computer that a program runs on.
package machine

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/klauspost/cpuid/v2"
)

// Machine describes a computer, as far as its system can tell.
type Machine struct {
	Processor  string   `json:"processor"`
	Cores      int      `json:"cores"`             // that this process may use
	Features   []string `json:"features"`          // instruction sets by which ONNX Runtime picks its kernels
	Memory     int64    `json:"memory_bytes"`      // 0 where unknown
	MemoryFree int64    `json:"memory_free_bytes"` // 0 where unknown
}

// features are the instruction sets by which ONNX Runtime picks its kernels, under Linux' names.
var features = []struct {
	name string
	id   cpuid.FeatureID
}{
	{"avx", cpuid.AVX}, {"avx2", cpuid.AVX2}, {"fma", cpuid.FMA3}, {"f16c", cpuid.F16C},
	{"avx512f", cpuid.AVX512F}, {"avx512bw", cpuid.AVX512BW}, {"avx512vl", cpuid.AVX512VL},
	{"avx512_vnni", cpuid.AVX512VNNI}, {"avx_vnni", cpuid.AVXVNNI}, {"avx512_bf16", cpuid.AVX512BF16},
	{"amx_bf16", cpuid.AMXBF16}, {"amx_int8", cpuid.AMXINT8},
	{"asimd", cpuid.ASIMD}, {"asimddp", cpuid.ASIMDDP}, {"i8mm", cpuid.I8MM}, {"bf16", cpuid.BF16},
	{"sve", cpuid.SVE}, {"sve2", cpuid.SVE2},
}

// This describes the computer as it is now.
func This() Machine {
	m := Machine{Processor: cmp.Or(cpuid.CPU.BrandName, runtime.GOARCH), Cores: runtime.NumCPU(), Features: []string{}}
	for _, feature := range features {
		if cpuid.CPU.Has(feature.id) {
			m.Features = append(m.Features, feature.name)
		}
	}
	m.Memory, m.MemoryFree = memory()
	return m
}

// String is the name of the machine in result rows: processor and cores.
func (m Machine) String() string { return fmt.Sprintf("%s, %d cores", m.Processor, m.Cores) }
