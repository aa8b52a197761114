package machine

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Manifests compare features by the names that Linux has for them.
func TestFeatureNames(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	var flags []string
	for line := range strings.Lines(string(info)) {
		name, value, _ := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); name == "flags" || name == "Features" {
			flags = strings.Fields(value)
		}
	}
	if flags == nil {
		t.Skip("the system does not say what its processor can")
	}
	got := This().Features
	for _, feature := range features {
		if is, want := slices.Contains(got, feature.name), slices.Contains(flags, feature.name); is != want {
			t.Errorf("%s: %v, and %v to Linux", feature.name, is, want)
		}
	}
}
