package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// enginePackage is the program that runs in the page's worker.
const enginePackage = "github.com/nopezoo/zoo/examples/browser/engine"

// compile puts the engine into the folder, and what Go programs need to run in a browser.
func (s site) compile(ctx context.Context) (file, error) {
	f := file{Path: "zoo.wasm"}
	root, err := goCommand(ctx, "env", "GOROOT")
	if err != nil {
		return f, err
	}
	if _, err := s.copy("wasm_exec.js", filepath.Join(root, "lib", "wasm", "wasm_exec.js")); err != nil {
		return f, fmt.Errorf("the Go distribution has no support for browsers (it was there from Go 1.24 on): %w", err)
	}
	dir, err := os.MkdirTemp("", "zoo-engine-")
	if err != nil {
		return f, err
	}
	defer os.RemoveAll(dir)
	made := filepath.Join(dir, f.Path)
	args := []string{"build", "-ldflags=-s -w", "-o", made}
	if s.published { // not always: without it, what go vet has compiled need not be compiled again
		args = append(args, "-trimpath")
	}
	if _, err := goCommand(ctx, append(args, enginePackage)...); err != nil {
		return f, fmt.Errorf("%w; run this within zoo's module", err)
	}
	f.Bytes, err = s.copy(f.Path, made)
	return f, err
}

// goCommand runs the go command for browsers and returns what it prints.
func goCommand(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(failed.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}
