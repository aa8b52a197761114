package clients_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/nopezoo/zoo/internal/clients"
)

// A client that is a script has the one that downloads in another process: both end.
func TestClientEndsWhole(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("clients have a process group on Linux and macOS alone")
	}
	dir := t.TempDir()
	exe := filepath.Join(dir, "pip")
	if err := os.WriteFile(exe, []byte("#!/bin/sh\n(while :; do echo >> alive; sleep 0.01; done)\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("interrupted")
	alive := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "alive"))
		if err != nil {
			return 0
		}
		return info.Size()
	}
	go func() {
		for alive() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel(reason)
	}()
	if _, err := clients.Run(ctx, dir, exe); !errors.Is(err, reason) {
		t.Errorf("error is %v", err)
	}
	before := alive()
	time.Sleep(200 * time.Millisecond)
	if after := alive(); after != before {
		t.Errorf("what the client started goes on: %d bytes, then %d", before, after)
	}
}
