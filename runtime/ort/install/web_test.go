package install

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/ort/library/librarytest"
)

// TestFetchWeb installs stand-ins for onnxruntime-web with a stand-in for npm.
func TestFetchWeb(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in client is a shell script")
	}
	module, binary := []byte("export {}"), []byte("\x00asm")
	pins := map[string]string{WebModule: sum(module), WebBinary: sum(binary)}
	bin := t.TempDir()
	look := func(name string) (string, error) {
		if p := filepath.Join(bin, name); fileExists(p) {
			return p, nil
		}
		return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
	}
	cache := t.TempDir()
	folder := filepath.Join(cache, "web")
	if err := fetchWeb(t.Context(), folder, pins, look); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("without npm: %v", err)
	}

	librarytest.Write(t, []byte("#!/bin/sh\ncase \"$2\" in onnxruntime-web@"+ort.Version+") cp '"+bin+"'/package.tgz .;; esac\n"), bin, "npm")
	if err := os.Chmod(filepath.Join(bin, "npm"), 0o755); err != nil {
		t.Fatal(err)
	}
	deliver := func(members ...member) {
		t.Helper()
		librarytest.Write(t, tgz(t, members...), bin, "package.tgz")
	}
	for what, tc := range map[string]struct {
		members []member
		want    string
	}{
		"a part is missing": {[]member{{"package/dist/" + WebModule, module}}, "the package has no " + WebBinary},
		"another folder":    {[]member{{"package/" + WebModule, module}, {"package/dist/" + WebBinary, binary}}, "the package has no " + WebModule},
		"other bytes": {[]member{{"package/dist/" + WebModule, []byte("export {evil}")}, {"package/dist/" + WebBinary, binary}},
			"pinned is " + pins[WebModule] + ": it is refused"},
	} {
		deliver(tc.members...)
		if err := fetchWeb(t.Context(), folder, pins, look); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", what, err, tc.want)
		}
		if diff := cmp.Diff([]string(nil), filesBelow(t, cache)); diff != "" {
			t.Errorf("%s: left behind:\n%s", what, diff)
		}
	}

	deliver(member{"package/dist/" + WebModule, module}, member{"package/package.json", []byte("{}")}, member{"package/dist/" + WebBinary, binary})
	if err := fetchWeb(t.Context(), folder, pins, look); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"web/" + WebBinary, "web/" + WebModule}, filesBelow(t, cache)); diff != "" {
		t.Error(diff)
	}
	if err := os.Remove(filepath.Join(bin, "npm")); err != nil {
		t.Fatal(err)
	}
	if err := fetchWeb(t.Context(), folder, pins, look); err != nil {
		t.Errorf("what is there was fetched again: %v", err)
	}
	librarytest.Write(t, []byte("damaged"), folder, WebModule)
	if err := checkWeb(folder, pins); err == nil || !strings.Contains(err.Error(), "is not installed: "+filepath.Join(folder, WebModule)+" has the SHA-256") {
		t.Errorf("a damaged file: %v", err)
	}
	if err := fetchWeb(t.Context(), folder, pins, look); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a damaged file is not fetched again: %v", err)
	}
}
