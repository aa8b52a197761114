package doctor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/cmd/zoo/internal/doctor"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/ort"
)

func Example() {
	r, err := doctor.Examine("mine 1.0", "")
	fmt.Println(r.Zoo, "cores:", r.Machine.Cores > 0, "settings:", r.Settings.Finding)
	fmt.Println("a library or a remedy:", err == nil && r.Library != nil || r.Remedy != "")
	// Output:
	// mine 1.0 cores: true settings: not there
	// a library or a remedy: true
}

func TestExamineNothing(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.so")
	t.Setenv(ort.EnvLibrary, missing)
	r, err := doctor.Examine("", "")
	if err == nil || r.Library != nil || r.Problem != human.Error(err) || r.Remedy == "" {
		t.Errorf("%+v, %v", r, err)
	}
	want := doctor.Place{Rule: ort.FromEnv, Path: missing, Finding: "not there"}
	if len(r.Searched) != 1 || r.Searched[0] != want {
		t.Errorf("searched %+v, want %+v", r.Searched, want)
	}
}

func TestExamineSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	for text, want := range map[string]string{
		"train: {steps: 5}": "used",
		"train: {stepz: 5}": `unknown key "train.stepz"`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if r, _ := doctor.Examine("", path); r.Settings.Path != path || !strings.Contains(r.Settings.Finding, want) {
			t.Errorf("%s: %+v, want %s", text, r.Settings, want)
		}
	}
	if r, _ := doctor.Examine("", path+"x"); r.Settings.Finding != "not there" {
		t.Errorf("no file: %+v", r.Settings)
	}
}
