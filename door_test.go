package zoo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDoorDependencies: package zoo opens runs without what trains, and links no engine.
func TestDoorDependencies(t *testing.T) {
	deps := strings.Fields(goCommand(t, ".", "list", "-deps", "./zoo"))
	for _, banned := range []string{"train", "runtime/ort", "runtime/native", "zoo/verify", "eval", "internal/human"} {
		if slices.Contains(deps, module+banned) {
			t.Errorf("zoo depends on %s", banned)
		}
	}
}

// mostDoorBytes bounds a stripped program that has one model of the catalogue inside, 0.6 MB, and
// opens it through package zoo with the engine in pure Go.
const mostDoorBytes = 8_400_000

const doorProgram = `package main

import (
	"context"
	"embed"
	"fmt"
	"log"

	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

//go:embed copy-rope.json copy-rope.weights.gz
var models embed.FS

func main() {
	s, err := zoo.Open("copy-rope", zoo.Options{Catalogue: catalogue.Catalogue{FS: models}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	fmt.Println(s.Complete(context.Background(), "Copy: 7 tree B [SEP] ", runtime.GenerateOptions{}))
}
`

// TestDoorSize: a program pays for the model that it has inside, not for the catalogue.
func TestDoorSize(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"copy-rope.json", "copy-rope.weights.gz"} {
		data, err := os.ReadFile(filepath.Join("zoo", "catalogue", "models", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "door.exe")
	if err := os.WriteFile(source, []byte(doorProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	goCommand(t, ".", "build", "-ldflags=-s -w", "-o", program, source)
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() > mostDoorBytes {
		t.Errorf("it has %d bytes, expected at most %d", info.Size(), mostDoorBytes)
	}
	if out, err := exec.Command(program).CombinedOutput(); err != nil || string(out) != "7 tree B <nil>\n" {
		t.Errorf("it answered %q, %v", out, err)
	}
}
