package machine

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// telling are the instruction sets by which ONNX Runtime picks its kernels.
var telling = []string{"avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx_vnni",
	"avx512_bf16", "amx_bf16", "amx_int8", "asimd", "asimddp", "i8mm", "bf16", "sve", "sve2"}

// ask reads the proc file system (proc(5)).
func (m *Machine) ask() {
	cpu := procFields("/proc/cpuinfo")
	if name := cpu["model name"]; name != "" {
		m.Processor = name
	}
	for _, flag := range strings.Fields(cpu["flags"] + " " + cpu["Features"]) {
		if slices.Contains(telling, flag) {
			m.Features = append(m.Features, flag)
		}
	}
	memory := procFields("/proc/meminfo")
	m.Memory, m.MemoryFree = kib(memory["MemTotal"]), kib(memory["MemAvailable"])
}

// procFields reads "name : value" lines; of a repeated name the first counts.
func procFields(path string) map[string]string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil // hidden from this process: nothing is known
	}
	out := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		if _, ok := out[name]; !ok {
			out[name] = strings.TrimSpace(value)
		}
	}
	return out
}

func kib(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(s, " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
