package zoo_test

import (
	"bufio"
	"cmp"
	"debug/elf"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// What a program that embeds zoo to run models gets with it, at most.
const (
	mostPackages = 45        // outside the standard library, ours and its own included
	mostBytes    = 5_000_000 // of the program, stripped

	mostServiceBytes = 13_000_000 // of one that serves, with the engine in pure Go and net/http
)

// goCommand runs the go command in a folder and returns what it prints.
func goCommand(t testing.TB, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skipf("needs the go command: %v", err)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

// TestMinimalProgram: a program that opens a model with ONNX Runtime and has it
// complete a prompt is small, and gets no installer and no other engine.
func TestMinimalProgram(t *testing.T) {
	dir := filepath.Join("examples", "minimal")
	all := strings.Fields(goCommand(t, dir, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "."))
	var ours []string
	for _, name := range all {
		folder, our := strings.CutPrefix(name, module)
		switch {
		case our:
			ours = append(ours, folder)
		case !isAmong([]string{"example.org/minimal", "github.com/yalue/onnxruntime_go",
			"github.com/ebitengine/purego", "google.golang.org/protobuf"}, name):
			t.Errorf("it has %s", name)
		}
	}
	slices.Sort(ours)
	want := []string{"card", "export/foreign", "export/safety", "graph/tensor", "internal/files", "internal/lists", "internal/onnxpb", "internal/ort",
		"internal/ort/library", "internal/wrap", "runtime", "runtime/engine", "runtime/ort", "tokenizer"}
	if d := diff.Diff(want, ours); d != "" {
		t.Errorf("packages of ours (-want +got):\n%s", d)
	}
	if len(all) > mostPackages {
		t.Errorf("it has %d packages outside the standard library, expected at most %d:\n%s", len(all), mostPackages,
			strings.Join(all, "\n"))
	}
	for _, name := range strings.Fields(goCommand(t, dir, "list", "-deps", "-f",
		"{{if .Standard}}{{.ImportPath}}{{end}}", ".")) {
		first, _, _ := strings.Cut(name, "/")
		if name == "net" || name == "net/http" || first == "archive" || first == "debug" ||
			first == "compress" && name != "compress/gzip" && name != "compress/flate" { // these two come with protobuf
			t.Errorf("it has %s", name)
		}
	}

	program := filepath.Join(t.TempDir(), "minimal")
	goCommand(t, dir, "build", "-ldflags=-s -w", "-o", program, ".")
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d packages, %d bytes", len(all), info.Size())
	if info.Size() > mostBytes {
		t.Errorf("it has %d bytes, expected at most %d", info.Size(), mostBytes)
	}
	library := orttest.Require(t)
	file, err := catalogue.Embedded().ONNX("copy-alibi", card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy-alibi.onnx")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, path, "Copy: 7 tree B [SEP] ")
	cmd.Env = append(os.Environ(), "ZOO_ORT_LIB="+cmp.Or(os.Getenv("ZOO_ORT_LIB"), library))
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "7 tree B\n" {
		t.Errorf("it answered %q, %v", out, err)
	}
}

// TestStaticProgram: without cgo and with the tag static_build a program that links ONNX
// Runtime's engine needs no C library, and says that it cannot load ONNX Runtime.
func TestStaticProgram(t *testing.T) {
	t.Setenv("CGO_ENABLED", "0")
	t.Setenv("GOOS", "linux")
	program := filepath.Join(t.TempDir(), "minimal")
	goCommand(t, filepath.Join("examples", "minimal"), "build", "-tags=static_build", "-o", program, ".")
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Error("the program is linked dynamically")
	}
	if goruntime.GOOS != "linux" {
		return
	}
	path := filepath.Join(t.TempDir(), "copy-alibi.onnx")
	model, err := catalogue.Embedded().ONNX("copy-alibi", card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, model, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, path, "Copy: 7 tree B [SEP] ").CombinedOutput()
	if err == nil || !strings.Contains(string(out), runtime.ErrNoCgo.Error()) {
		t.Errorf("it answered %q, %v", out, err)
	}
}

// TestGoEngineNeedsNoCgo: neither to run models, for which protobuf, gonum's products and what
// knows the processor's instructions do, nor to measure them. It needs purego as little, which
// stands for cgo without it.
func TestGoEngineNeedsNoCgo(t *testing.T) {
	const engine = "./runtime/native"
	for _, folder := range []string{engine, "./experiment/bench"} {
		list := goCommand(t, ".", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}} {{len .CgoFiles}}{{end}}",
			folder)
		for line := range strings.Lines(list) {
			name, files, found := strings.Cut(strings.TrimSpace(line), " ")
			foreign := !strings.HasPrefix(name, module) &&
				!isAmong([]string{"google.golang.org/protobuf", "gonum.org/v1/gonum", "golang.org/x/sys/cpu"}, name)
			if found && (files != "0" || strings.Contains(name, "purego") || foreign && folder == engine) {
				t.Errorf("%s has %s, with %s files of cgo", folder, name, files)
			}
		}
	}
}

// TestServiceProgram: a web server answers completions beside other things, without cgo, and ends
// in an orderly way. It is what zoo's runtime and net/http are, and little more.
func TestServiceProgram(t *testing.T) {
	dir := filepath.Join("examples", "service")
	goCommand(t, dir, "list", ".") // skips where there is no go
	for line := range strings.Lines(goCommand(t, dir, "list", "-deps", "-f",
		"{{if not .Standard}}{{.ImportPath}} {{len .CgoFiles}}{{end}}", ".")) {
		name, files, found := strings.Cut(strings.TrimSpace(line), " ")
		if found && (files != "0" || !isAmong([]string{"example.org/service", "google.golang.org/protobuf", "gonum.org/v1/gonum", "golang.org/x/sys/cpu"}, name) &&
			!strings.HasPrefix(name, module)) {
			t.Errorf("it has %s, with %s files of cgo", name, files)
		}
	}
	program := filepath.Join(t.TempDir(), "service.exe")
	goCommand(t, dir, "build", "-ldflags=-s -w", "-o", program, ".")
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() > mostServiceBytes {
		t.Errorf("it has %d bytes, expected at most %d", info.Size(), mostServiceBytes)
	}
	file, err := catalogue.Embedded().ONNX("copy-alibi", card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy-alibi.onnx")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "127.0.0.1:0", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // nothing, unless the test ends early
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening at ")
	if err != nil || !ok {
		t.Fatalf("it says %q, %v", line, err)
	}
	for path, want := range map[string]string{"/": "something else", "/v1/models": `"id":"copy-alibi"`, "/metrics": "zoo_requests_total"} {
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %s, %v", path, text, err)
		}
	}
	r, err := http.Post(url+"/v1/completions", "application/json",
		strings.NewReader(`{"model": "copy-alibi", "prompt": "Copy: 7 tree B [SEP] ", "temperature": 0}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !strings.Contains(string(text), `"text":"7 tree B"`) {
		t.Errorf("it answered %s, %v", text, err)
	}
	if goruntime.GOOS == "windows" {
		return // which has no signal to send
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// isAmong reports whether an import is of one of the modules, or of the standard library.
func isAmong(modules []string, name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".") || slices.ContainsFunc(modules, func(m string) bool {
		return name == m || strings.HasPrefix(name, m+"/")
	})
}
