package install

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nopezoo/zoo/internal/ort/library/librarytest"
)

// TestKilledSetup: what a killed set-up leaves behind goes with the next one, and
// one at work keeps what is its own.
func TestKilledSetup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no lock ends with its process here")
	}
	const cacheVar = "ZOO_ORT_TEST_KILLED"
	waiting := func(begun func()) plan {
		return plan{testPlatform, nil, []source{{"slow", 0, func(ctx context.Context, dir string,
			_ func(done, total int64)) (string, error) {
			librarytest.Write(t, make([]byte, 1<<10), dir, "download.tgz")
			begun()
			<-ctx.Done()
			return "", ctx.Err()
		}}}, defaultLimits(), testCUDA()}
	}
	if cache := os.Getenv(cacheVar); cache != "" {
		_, _ = setup(t.Context(), Options{CacheDir: cache},
			waiting(func() { librarytest.Write(t, nil, cache, "begun") }))
		return
	}

	cache := t.TempDir()
	killed := exec.Command(os.Args[0], "-test.run=^TestKilledSetup$")
	killed.Env = append(os.Environ(), cacheVar+"="+cache)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); !fileExists(filepath.Join(cache,
		"begun")); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the set-up never began")
		}
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	if err := os.Remove(filepath.Join(cache, "begun")); err != nil {
		t.Fatal(err)
	}
	if left := filesBelow(t, cache); !slices.ContainsFunc(left,
		func(f string) bool { return strings.HasSuffix(f, "download.tgz") }) {
		t.Fatalf("the killed set-up left %v", left)
	}

	begun, ended := make(chan struct{}), make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := setup(ctx, Options{CacheDir: cache}, waiting(func() { close(begun) }))
		ended <- err
	}()
	<-begun
	from := librarytest.Write(t, librarytest.Fake(librarytest.AMD64, "a"), t.TempDir(), "libonnxruntime.so")
	if _, err := setup(t.Context(), Options{From: from, CacheDir: cache},
		plan{testPlatform, nil, nil, defaultLimits(), testCUDA()}); err != nil {
		t.Fatal(err)
	}
	count := func(suffix string) (n int) {
		for _, f := range filesBelow(t, cache) {
			if strings.HasSuffix(f, suffix) {
				n++
			}
		}
		return n
	}
	if n := count("download.tgz"); n != 1 {
		t.Errorf("%d downloads are left, want that of the set-up at work: %v", n, filesBelow(t, cache))
	}
	cancel()
	<-ended
	if left := filesBelow(t, cache); len(left) != 2 || count(".lock") != 0 {
		t.Errorf("left behind: %v", left)
	}
}
