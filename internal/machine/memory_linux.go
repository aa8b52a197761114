package machine

import (
	"os"
	"strconv"
	"strings"
)

// memory reads /proc/meminfo (proc(5)); sizes hidden from this process are 0.
func memory() (all, free int64) {
	data, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(line, ":")
		kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "MemTotal":
			all = kib << 10
		case "MemAvailable":
			free = kib << 10
		}
	}
	return all, free
}
