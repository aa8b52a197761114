package zoo_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nopezoo/zoo/internal/orttest"
)

// Another module can add an encoding and a task, and train, export, verify, measure and
// report with them: examples/outside does.
func TestExampleOutside(t *testing.T) {
	library := orttest.Require(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skipf("needs the go command: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // no program of ours hangs a test
	defer cancel()
	sources, err := filepath.Glob("examples/outside/*")
	if err != nil || len(sources) == 0 {
		t.Fatalf("examples/outside: files %v, error %v", sources, err)
	}
	for _, path := range sources {
		if _, err := os.ReadFile(path); err != nil { // go test runs this again when one has changed
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	command := exec.CommandContext(ctx, "go", "run", ".", folder)
	command.Dir = filepath.Join("examples", "outside")
	command.Env = append(os.Environ(), "ZOO_ORT_LIB="+library, "GOWORK=off")
	command.WaitDelay = 10 * time.Second
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("go run: %v\n%s\nwhen a dependency has changed: go mod tidy in %s", err, out, command.Dir)
	}
	for _, want := range []string{
		"root: step 1, loss ", "verified " + filepath.Join(folder, "last-root.onnx"), "On last, ",
		"wrote " + filepath.Join(folder, "report.html"),
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	page, err := os.ReadFile(filepath.Join(folder, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"root"`, `data-task="0">On last, `} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
