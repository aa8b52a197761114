package zoo_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Where a script lacks packages or zoo, it says so, with the commands that bring them; never in a traceback.
func TestScriptsSayWhatTheyNeed(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	scripts, err := filepath.Glob("scripts/*.py")
	if err != nil || len(scripts) == 0 {
		t.Fatal(scripts, err)
	}
	for _, script := range scripts {
		if filepath.Base(script) == "needs.py" { // what the others say it by
			continue
		}
		// -S: the standard library alone.
		out, err := exec.Command(python, "-B", "-S", script, "x").CombinedOutput()
		said := string(out)
		if strings.Contains(said, "unrecognized arguments: x") { // it takes none
			out, err = exec.Command(python, "-B", "-S", script).CombinedOutput()
			said = string(out)
		}
		if err == nil || !strings.HasPrefix(said, script+" lacks the package") || !strings.Contains(said, "pip install ") ||
			!strings.Contains(said, "python "+script) || strings.Contains(said, "Traceback") {
			t.Errorf("%s: %v\n%s", script, err, said)
		}
	}
	out, err := exec.Command(python, "-B", "-c", "import sys; sys.path.insert(0, 'scripts'); sys.argv = ['a.py']; import needs; "+
		"needs.program('text\\n\\n    make build\\n', 'none/zoo')").CombinedOutput()
	if want := "a.py lacks the program none/zoo; these commands bring what it needs, and run it:\n\n    make build\n"; err == nil || string(out) != want {
		t.Errorf("%q, %v, want %q", out, err, want)
	}
}
