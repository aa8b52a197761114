package eval

import (
	"os"
	"path/filepath"
	"testing"
)

func TestProcessMemory(t *testing.T) {
	dir := t.TempDir()
	m := &processMemory{status: filepath.Join(dir, "status"), clear: filepath.Join(dir, "none", "clear_refs")}
	if _, _, err := m.Peak(); err == nil {
		t.Error("no status file: no error")
	}
	status := "Name:\tzoo\nVmPeak:\t  900 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1024 kB\n"
	if err := os.WriteFile(m.status, []byte(status), 0o600); err != nil {
		t.Fatal(err)
	}
	m.Reset() // impossible: its folder does not exist
	if n, of, err := m.Peak(); n != 2<<20 || of != PeakOfProcess || err != nil {
		t.Errorf("Peak = %d, %q, %v", n, of, err)
	}
	m.clear = filepath.Join(dir, "clear_refs")
	m.Reset()
	if n, of, err := m.Peak(); n != 2<<20 || of != PeakOfLength || err != nil {
		t.Errorf("Peak = %d, %q, %v", n, of, err)
	}
	if got, err := os.ReadFile(m.clear); string(got) != "5" || err != nil {
		t.Errorf("wrote %q, %v", got, err)
	}
	for _, bad := range []string{"", "VmHWM:", "VmHWM: x kB", "VmHWM: 5 MB"} {
		if n, err := highWater([]byte(bad)); err == nil {
			t.Errorf("%q: no error but %d", bad, n)
		}
	}
}

func TestProcessMemoryHere(t *testing.T) {
	m, err := ProcessMemory()
	if err != nil {
		t.Skip(err) // a system without /proc
	}
	m.Reset()
	if n, of, err := m.Peak(); n < 1<<20 || err != nil {
		t.Errorf("Peak = %d, %q, %v; a Go program takes more than a MiB", n, of, err)
	}
}
