package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// Runs that are finished or at work are not stopped, and damaged ones are named.
func TestStoppedRuns(t *testing.T) {
	folder := t.TempDir()
	l, err := configs.Load(configs.Sources{Preset: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Config("")
	if err != nil {
		t.Fatal(err)
	}
	dir := func(name string) string {
		t.Helper()
		dir := filepath.Join(folder, name)
		if _, err := train.Prepare(dir, c, 1, 0, true); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	stopped := dir("stopped")
	lock, err := files.Take(filepath.Join(dir("busy"), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	finished := filepath.Join(dir("finished"), "checkpoint-00002600.safetensors")
	damaged := filepath.Join(dir("damaged"), runfile.ConfigFile)
	for path, text := range map[string]string{finished: "", damaged: "{"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var warnings []error
	runs, err := stoppedRuns(folder, func(err error) { warnings = append(warnings, err) })
	if err != nil || len(runs) != 1 || runs[0].Dir != stopped || runs[0].State != "no checkpoint yet" {
		t.Errorf("%+v, %v; want the one in %s", runs, err, stopped)
	}
	if len(warnings) != 1 {
		t.Errorf("warnings %v, want one", warnings)
	}
}
