package install

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/nopezoo/zoo/internal/ort/library"
)

// whereScript has Python name the folders that packages are installed into, and its
// own, whose lib holds what conda installs.
const whereScript = `import json, site, sys, sysconfig
packages = [*getattr(site, "getsitepackages", list)(), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
if site.ENABLE_USER_SITE: packages.append(site.getusersitepackages())
print(json.dumps({"packages": packages, "prefix": sys.prefix}))`

const pythonTimeout = 30 * time.Second

// pythonFolders lists the folders of a Python environment that hold any of the libraries
// that are needed: lib (bin on Windows) of NVIDIA's packages, or of the environment. It
// is the first environment that has one of those that are missing.
func pythonFolders(ctx context.Context, needed, missing []string, lookPath findProgram) []string {
	ctx, cancel := context.WithTimeout(ctx, pythonTimeout)
	defer cancel()
	for _, program := range []string{"python3", "python"} {
		exe, err := lookPath(program)
		if err != nil {
			continue
		}
		cmd := exec.CommandContext(ctx, exe, "-c", whereScript)
		cmd.WaitDelay = 5 * time.Second
		out, err := cmd.Output()
		var where struct {
			Packages []string
			Prefix   string
		}
		if err != nil || json.Unmarshal(out, &where) != nil {
			continue // one that does not work has nothing for us
		}
		folders := cudaFoldersOf(where.Packages, where.Prefix, needed)
		helps := func(name string) bool { return library.InPlace(folders, name) != "" }
		if slices.ContainsFunc(missing, helps) {
			return folders
		}
	}
	return nil
}

func cudaFoldersOf(packages []string, prefix string, names []string) []string {
	var candidates []string
	for _, dir := range packages {
		for _, pattern := range []string{"nvidia/*/lib", "nvidia/*/bin", "nvidia/*/bin/x86_64"} {
			found, err := fs.Glob(os.DirFS(dir), pattern) // filepath.Glob would take dir for a pattern too
			if err != nil {
				continue
			}
			for _, f := range found {
				candidates = append(candidates, filepath.Join(dir, filepath.FromSlash(f)))
			}
		}
	}
	if prefix != "" {
		candidates = append(candidates, filepath.Join(prefix, "lib"))
	}
	var folders []string
	for _, dir := range candidates {
		holds := func(name string) bool { return library.InPlace([]string{dir}, name) != "" }
		if !slices.Contains(folders, dir) && slices.ContainsFunc(names, holds) {
			folders = append(folders, dir)
		}
	}
	return folders
}
