// Package clients has package clients, such as npm, fetch files with their own registries
// and configuration.
package clients

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Run runs a client in dir and returns its standard output; when it fails, the error has the end of
// its output. Its children end with it, where the system allows that.
func Run(ctx context.Context, dir, exe string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "TMPDIR="+dir, "TEMP="+dir, "TMP="+dir)
	alone(cmd)
	cmd.WaitDelay = 5 * time.Second // a grandchild may hold the output open
	var out, messages strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &messages
	err := cmd.Run()
	switch {
	case err == nil:
		return []byte(out.String()), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	const tail = 300
	text := strings.Join(strings.Fields(out.String()+" "+messages.String()), " ")
	if len(text) > tail {
		text = "…" + strings.ToValidUTF8(text[len(text)-tail:], "")
	}
	return nil, fmt.Errorf("%s: %w: %s", exe, err, text)
}

// Single returns the one file in dir that matches the pattern.
func Single(dir, pattern string) (string, error) {
	files, err := fs.Glob(os.DirFS(dir), pattern) // filepath.Glob would take dir for a pattern too
	if err != nil {
		return "", err
	}
	if len(files) != 1 {
		return "", fmt.Errorf("the client left %d files %s, expected one", len(files), pattern)
	}
	file := filepath.Join(dir, files[0])
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", file)
	}
	return file, nil
}

// NPMPack has the npm client fetch a package, such as "name@1.2.3", into dir. "pack" downloads
// without installing, so no script runs. npm's cache lies in dir too: progress can be seen there, and
// the user's would keep the same bytes a second time.
func NPMPack(ctx context.Context, dir, npm, pack string) (string, error) {
	if _, err := Run(ctx, dir, npm, "pack", pack, "--pack-destination", dir,
		"--cache", filepath.Join(dir, "cache"), "--ignore-scripts", "--fetch-retries=1", "--no-update-notifier"); err != nil {
		return "", err
	}
	return Single(dir, "*.tgz")
}
