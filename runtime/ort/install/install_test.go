package install

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/ort/library/librarytest"
)

const installedIn = "zoo/onnxruntime/" + ort.Version + "/linux-amd64"

// served is a source that downloads over HTTP what the handler gives.
func served(t testing.TB, name string, handler http.HandlerFunc) source {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return source{name, 0, func(ctx context.Context, dir string, progress func(done, total int64)) (string, error) {
		return download(ctx, server.URL+"/onnxruntime.tgz", dir, 1<<20, progress)
	}}
}

func serving(t testing.TB, name string, data []byte) source {
	return served(t, name, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) })
}

func TestSetupDownloads(t *testing.T) {
	lib := librarytest.Fake(librarytest.AMD64, "real")
	archive := tgz(t,
		member{"onnxruntime/README", []byte("text")},
		member{"onnxruntime/lib/libonnxruntime.so", nil}, // a link
		member{"onnxruntime/lib/libonnxruntime.so.1.29.0", lib},
		member{"onnxruntime/lib/libonnxruntime_providers_shared.so", librarytest.Fake(librarytest.AMD64, "x")})
	pl := plan{testPlatform, []pin{{"github", "archive", testPlatform, sum(archive)}},
		[]source{serving(t, "github", archive)}, defaultLimits(), testCUDA()}
	cache := t.TempDir()
	var last, total int64
	opt := Options{CacheDir: cache, Progress: func(d, n int64) { last, total = d, n }}

	got, err := setup(t.Context(), opt, pl)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cache, filepath.FromSlash(installedIn), "libonnxruntime.so")
	want := Installed{Library: ort.Library{Path: path, Source: ort.FromCache}, Origin: "github", SHA256: sum(lib),
		Verified: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, lib) {
		t.Errorf("installed library differs (%v)", err)
	}
	if diff := cmp.Diff([]string{installedIn + "/libonnxruntime.so", installedIn + "/origin.json"},
		filesBelow(t, cache)); diff != "" {
		t.Error(diff)
	}
	if last != int64(len(archive)) || total != last {
		t.Errorf("progress ended at %d of %d, the archive has %d bytes", last, total, len(archive))
	}

	working := pl.sources
	pl.sources = nil // a second set-up needs none
	want.Present = true
	if got, err = setup(t.Context(), opt, pl); err != nil {
		t.Fatal(err)
	} else if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	librarytest.Write(t, lib[:70], path) // damaged: fetched again
	pl.sources = working
	if got, err = setup(t.Context(), opt, pl); err != nil || got.Present {
		t.Errorf("after damage: %+v, %v", got, err)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, lib) {
		t.Errorf("the damaged library was not replaced (%v)", err)
	}
}

func TestSetupRefusesOtherHashes(t *testing.T) {
	lib := librarytest.Fake(librarytest.AMD64, "evil")
	archive := tgz(t, member{"package/bin/libonnxruntime.so.1", lib})
	other := strings.Repeat("ab", 32)
	for _, tt := range []struct {
		name string
		pins []pin
		got  string
	}{
		{"archive", []pin{{"x", "archive", testPlatform, other}}, sum(archive)},
		{"library", []pin{{"x", "library", testPlatform, other}}, sum(lib)},
		{"library, archive pinned for another source", []pin{{"x", "library", testPlatform, other},
			{"y", "archive", testPlatform, sum(archive)}}, sum(lib)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cache := t.TempDir()
			pl := plan{testPlatform, tt.pins, []source{serving(t, "x", archive)}, defaultLimits(), testCUDA()}
			_, err := setup(t.Context(), Options{CacheDir: cache}, pl)
			if err == nil || !strings.Contains(err.Error(), tt.got) || !strings.Contains(err.Error(), other) {
				t.Errorf("error is %v, want it to name both hashes", err)
			}
			if left := filesBelow(t, cache); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestSetupTriesSourcesInOrder(t *testing.T) {
	lib := librarytest.Fake(librarytest.AMD64, "real")
	archive := tgz(t, member{"package/bin/libonnxruntime.so.1", lib})
	missing := served(t, "github", http.NotFound)
	pl := plan{testPlatform, []pin{{"npm", "library", testPlatform, sum(lib)}},
		[]source{missing, serving(t, "npm", archive)}, defaultLimits(), testCUDA()}
	got, err := setup(t.Context(), Options{CacheDir: t.TempDir()}, pl)
	if err != nil {
		t.Fatal(err)
	}
	if got.Origin != "npm" || len(got.Failed) != 1 || !strings.Contains(got.Failed[0], "github: ") ||
		!strings.Contains(got.Failed[0], "404") {
		t.Errorf("installed %+v, want npm after a failed github", got)
	}

	cache := t.TempDir()
	pl.sources = []source{missing, served(t, "npm", func(w http.ResponseWriter,
		_ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	})}
	_, err = setup(t.Context(), Options{CacheDir: cache}, pl)
	for _, want := range []string{"github: ", "404", "npm: ", "418", "zoo setup --from FILE"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want it to contain %q", err, want)
		}
	}
	if left := filesBelow(t, cache); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestSetupFrom(t *testing.T) {
	lib, arm := librarytest.Fake(librarytest.AMD64, "real"), librarytest.Fake(librarytest.ARM64, "arm")
	npm := tgz(t, member{"package/bin/linux/arm64/libonnxruntime.so.1", arm},
		member{"package/bin/linux/x64/libonnxruntime.so.1", lib})
	wheel := zipped(t, member{"onnxruntime/capi/libonnxruntime.so.1.29.0", lib},
		member{"onnxruntime/capi/other.so", lib})
	gpu := zipped(t, member{"a/libonnxruntime.so", lib}, member{"a/libonnxruntime_providers_cuda.so", lib})
	changed := slices.Clone(wheel)
	changed[30+len("onnxruntime/capi/libonnxruntime.so.1.29.0")+5] ^= 255 // in the data of the first entry
	dir := t.TempDir()
	librarytest.Write(t, lib, dir, "flat", "libonnxruntime.so.1.29.0")
	librarytest.Write(t, lib, dir, "release", "lib", "libonnxruntime.so")
	librarytest.Write(t, arm, dir, "arm", "libonnxruntime.so")
	librarytest.Write(t, nil, dir, "bare", "README")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(npm) }))
	defer server.Close()

	known := []pin{{"npm", "library", testPlatform, sum(lib)}}
	tests := []struct {
		name, from string
		pins       []pin
		verified   bool
		want       string // of the error
	}{
		{"npm package", librarytest.Write(t, npm, dir, "npm.tgz"), known, true, ""},
		{"unknown hash", librarytest.Write(t, npm, dir, "npm.tgz"), nil, false, ""},
		{"pinned archive", librarytest.Write(t, npm, dir, "npm.tgz"),
			[]pin{{"github", "archive", testPlatform, sum(npm)}}, true, ""},
		{"wheel", librarytest.Write(t, wheel, dir, "ort.whl"), known, true, ""},
		{"library", filepath.Join(dir, "flat", "libonnxruntime.so.1.29.0"), known, true, ""},
		{"library of another name", librarytest.Write(t, lib, dir, "mine.so"), known, true, ""},
		{"folder", filepath.Join(dir, "flat"), known, true, ""},
		{"folder with lib", filepath.Join(dir, "release"), nil, false, ""},
		{"url", server.URL + "/a/b.tgz?q=1", known, true, ""},
		{"other platform", filepath.Join(dir, "arm"), known, false, "holds no ONNX Runtime library for linux-amd64"},
		{"no library", filepath.Join(dir, "bare"), known, false, "holds no ONNX Runtime library"},
		{"no such file", filepath.Join(dir, "nope"), known, false, "no such file"},
		{"null device", os.DevNull, known, false, os.DevNull + " is neither a file nor a folder; save what it gives to a file"},
		{"CUDA build", librarytest.Write(t, gpu, dir, "gpu.whl"), nil, false,
			"gpu.whl is a CUDA build, which does not stand in for the other; install it beside that, with --provider cuda"},
		{"text", librarytest.Write(t, []byte("hello"), dir, "text.so"), known, false, "holds no ONNX Runtime library"},
		{"broken archive", librarytest.Write(t, npm[:len(npm)/2], dir, "half.tgz"), known, false,
			"unpack half.tgz: unexpected EOF; it is damaged, or was not fetched to its end: fetch it again"},
		{"half a wheel", librarytest.Write(t, wheel[:len(wheel)/2], dir, "half.whl"), known, false, "fetch it again"},
		{"changed wheel", librarytest.Write(t, changed, dir, "changed.whl"), known, false, "fetch it again"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cache := t.TempDir()
			got, err := setup(t.Context(), Options{From: tt.from, CacheDir: cache, Insecure: true},
				plan{testPlatform, tt.pins, nil, defaultLimits(), testCUDA()})
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error is %v, want it to contain %q", err, tt.want)
				}
				if left := filesBelow(t, cache); len(left) != 0 {
					t.Errorf("left behind: %v", left)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Verified != tt.verified || got.Origin != tt.from || got.SHA256 != sum(lib) {
				t.Errorf("installed %+v", got)
			}
		})
	}
}

func TestSetupCUDA(t *testing.T) {
	core, cuda, shared := librarytest.Fake(librarytest.AMD64, "core"), librarytest.Fake(librarytest.AMD64, "cuda"),
		librarytest.Fake(librarytest.AMD64, "shared")
	dir := t.TempDir()
	for name, data := range map[string][]byte{"libonnxruntime.so.1.29.0": core,
		"libonnxruntime_providers_cuda.so": cuda, "libonnxruntime_providers_shared.so": shared} {
		librarytest.Write(t, data, dir, "gpu", "lib", name)
	}
	librarytest.Write(t, core, dir, "cpu", "libonnxruntime.so")
	archive := librarytest.Write(t, tgz(t, member{"a/libonnxruntime_providers_cuda.so", cuda},
		member{"a/libonnxruntime.so", core},
		member{"a/libonnxruntime_providers_shared.so", shared}), dir, "gpu.tgz")
	pl := plan{testPlatform, nil, nil, defaultLimits(), testCUDA()}

	for _, from := range []string{filepath.Join(dir, "gpu"), filepath.Join(dir, "gpu", "lib",
		"libonnxruntime.so.1.29.0"), archive} {
		cache := t.TempDir()
		if _, err := setup(t.Context(), Options{From: from, CacheDir: cache, Provider: "cuda"}, pl); err != nil {
			t.Fatal(err)
		}
		const in = installedIn + "-cuda/"
		want := []string{in + "libonnxruntime.so", in + "libonnxruntime_providers_cuda.so",
			in + "libonnxruntime_providers_shared.so", in + "origin.json"}
		if diff := cmp.Diff(want, filesBelow(t, cache)); diff != "" {
			t.Errorf("from %s: %s", from, diff)
		}
	}
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{Provider: "cuda"}, "to install it by hand, fetch it on any machine with: pip download "},
		{Options{Provider: "cuda"}, "zoo setup --provider cuda --from FILE"},
		{Options{Provider: "cuda", From: filepath.Join(dir, "cpu")}, "it is not a CUDA build"},
		{Options{Provider: "tpu"}, `unknown provider "tpu"`},
		{Options{WithCUDA: true}, "--provider cuda --with-cuda"},
	} {
		opt := tt.opt
		opt.CacheDir = t.TempDir()
		_, err := setup(t.Context(), opt, pl)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error is %v, want it to contain %q", err, tt.want)
		}
		if left := filesBelow(t, opt.CacheDir); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestSetupHostileArchives(t *testing.T) {
	lib := librarytest.Fake(librarytest.AMD64, "evil")
	small := limits{file: 1000, total: 4000, entries: 3}
	big := append(librarytest.Fake(librarytest.AMD64, ""), make([]byte, 2000)...)
	bomb := make([]byte, 100_000)
	tests := []struct {
		name    string
		archive []byte
		want    string
	}{
		{"tar traversal", tgz(t, member{"../../libonnxruntime.so", lib}), "points outside the archive"},
		{"tar absolute", tgz(t, member{"/tmp/libonnxruntime.so", lib}), "points outside the archive"},
		{"zip traversal", zipped(t, member{"a/../../libonnxruntime.so", lib}), "points outside the archive"},
		{"zip backslash", zipped(t, member{`..\x/libonnxruntime.so`, lib}), "points outside the archive"},
		{"tar big library", tgz(t, member{"libonnxruntime.so", big}), "more than the limit"},
		{"zip big library", zipped(t, member{"libonnxruntime.so", big}), "more than the limit"},
		{"tar bomb beside it", tgz(t, member{"zeros", bomb}, member{"libonnxruntime.so", lib}), "more than the limit"},
		{"tar entries", tgz(t, member{"a", lib}, member{"b", lib}, member{"c", lib}, member{"d", lib}),
			"more than 3 entries"},
		{"zip entries", zipped(t, member{"a", lib}, member{"b", lib}, member{"c", lib}, member{"d", lib}),
			"more than 3 entries"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cache := t.TempDir()
			from := librarytest.Write(t, tt.archive, t.TempDir(), "archive")
			_, err := setup(t.Context(), Options{From: from, CacheDir: cache}, plan{testPlatform, nil, nil, small, testCUDA()})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want it to contain %q", err, tt.want)
			}
			if left := filesBelow(t, cache); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestSetupDownloadLimit(t *testing.T) {
	pl := plan{testPlatform, nil, nil, limits{file: 10, total: 100, entries: 1}, testCUDA()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = w.Write(make([]byte, 101))
	}))
	defer server.Close()
	_, err := setup(t.Context(), Options{From: server.URL, CacheDir: t.TempDir(), Insecure: true}, pl)
	if err == nil || !strings.Contains(err.Error(), "limit of 100 bytes") {
		t.Errorf("error is %v", err)
	}
}

func TestSetupCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	slow := served(t, "x", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("some"))
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	cache := t.TempDir()
	_, err := setup(ctx, Options{CacheDir: cache},
		plan{testPlatform, nil, []source{slow, slow}, defaultLimits(), testCUDA()})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if left := filesBelow(t, cache); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestSetupConcurrent(t *testing.T) {
	lib := librarytest.Fake(librarytest.AMD64, strings.Repeat("body", 1<<16))
	archive := tgz(t, member{"libonnxruntime.so", lib})
	pl := plan{testPlatform, []pin{{"x", "archive", testPlatform, sum(archive)}}, []source{serving(t, "x", archive)},
		defaultLimits(), testCUDA()}
	cache := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := setup(t.Context(), Options{CacheDir: cache}, pl)
			if err != nil {
				t.Error(err)
				return
			}
			if data, err := os.ReadFile(got.Path); err != nil || !bytes.Equal(data, lib) {
				t.Errorf("a set-up ended with another library (%v)", err)
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff([]string{installedIn + "/libonnxruntime.so", installedIn + "/origin.json"},
		filesBelow(t, cache)); diff != "" {
		t.Error(diff)
	}
}

// TestSetupProcesses runs set-ups of this test binary at the same time.
func TestSetupProcesses(t *testing.T) {
	const fromVar, cacheVar = "ZOO_ORT_TEST_FROM", "ZOO_ORT_TEST_CACHE"
	if from := os.Getenv(fromVar); from != "" {
		for range 10 {
			if _, err := setup(t.Context(), Options{From: from, CacheDir: os.Getenv(cacheVar)},
				plan{testPlatform, nil, nil, defaultLimits(), testCUDA()}); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	lib := librarytest.Fake(librarytest.AMD64, strings.Repeat("body", 1<<16))
	from := librarytest.Write(t, tgz(t, member{"libonnxruntime.so", lib}), t.TempDir(), "a.tgz")
	cache := t.TempDir()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestSetupProcesses$")
			cmd.Env = append(os.Environ(), fromVar+"="+from, cacheVar+"="+cache)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	path := filepath.Join(cache, filepath.FromSlash(installedIn), "libonnxruntime.so")
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, lib) {
		t.Errorf("the library is not whole (%v)", err)
	}
	if diff := cmp.Diff([]string{installedIn + "/libonnxruntime.so", installedIn + "/origin.json"},
		filesBelow(t, cache)); diff != "" {
		t.Error(diff)
	}
}

// TestClients drives npmPack and pipDownload with scripts in place of the clients.
func TestClients(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in clients are shell scripts")
	}
	bin := t.TempDir()
	script := func(name, text string) {
		librarytest.Write(t, []byte("#!/bin/sh\n"+text), bin, name)
		if err := os.Chmod(filepath.Join(bin, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	look := func(name string) (string, error) {
		if p := filepath.Join(bin, name); fileExists(p) {
			return p, nil
		}
		return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
	}

	onnxruntime, err := cpuWheel(testPlatform)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := npmPack(t.Context(), t.TempDir(), "onnxruntime-node", look); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("without npm: %v", err)
	}
	odd := filepath.Join(t.TempDir(), `a[1]*\b`) // a pattern, which such a folder does not match
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	script("npm", `printf '%s ' "$@" > onnxruntime-node-1.29.0.tgz`)
	file, err := npmPack(t.Context(), odd, "onnxruntime-node", look)
	if err != nil {
		t.Fatal(err)
	}
	if args, _ := os.ReadFile(file); !strings.HasPrefix(string(args), "pack onnxruntime-node@"+ort.Version+" ") ||
		!strings.Contains(string(args), "--ignore-scripts") {
		t.Errorf("npm was called with %q", args)
	}
	script("npm", "echo 'npm error code E404' >&2; exit 3")
	if _, err := npmPack(t.Context(), t.TempDir(), "onnxruntime-node", look); err == nil ||
		!strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "E404") {
		t.Errorf("failing npm: %v", err)
	}
	script("npm", "exit 0")
	if _, err := npmPack(t.Context(), t.TempDir(), "onnxruntime-node", look); err == nil || !strings.Contains(err.Error(), "left 0 files") {
		t.Errorf("npm that leaves nothing: %v", err)
	}

	script("pip", "echo broken >&2; exit 1")
	script("python3", `printf '%s ' "$@" > onnxruntime.whl`)
	file, err = pipDownload(t.Context(), t.TempDir(), onnxruntime.requirement, look)
	if err != nil {
		t.Fatal(err)
	}
	if args, _ := os.ReadFile(file); !strings.HasPrefix(string(args),
		"-m pip download --no-deps ") || !strings.Contains(string(args), " onnxruntime=="+ort.Version+" ") ||
		!strings.Contains(string(args), "--no-cache-dir") {
		t.Errorf("pip was called with %q", args)
	}
	script("python3", `printf '%s' "$TMPDIR" > onnxruntime.whl`)
	dir := t.TempDir()
	if file, err = pipDownload(t.Context(), dir, onnxruntime.requirement, look); err != nil {
		t.Fatal(err)
	}
	if at, _ := os.ReadFile(file); string(at) != dir {
		t.Errorf("pip works in %q, want it in the folder of the set-up, which is cleared", at)
	}
	script("python3", "exit 1")
	if _, err := pipDownload(t.Context(), t.TempDir(), onnxruntime.requirement, look); err == nil ||
		!strings.Contains(err.Error(), "broken") {
		t.Errorf("failing pip: %v", err)
	}
	if _, err := cpuWheel("plan9-mips"); err == nil {
		t.Error("a wheel for plan9 was found")
	}
}

// A slow client is seen from its first bytes on: they lie in its cache, below the folder of the set-up.
func TestSlowClient(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in client is a shell script")
	}
	bin, dir := t.TempDir(), t.TempDir()
	librarytest.Write(t, []byte(`#!/bin/sh
while [ "$1" != --cache ]; do shift; done
mkdir "$2" && head -c 1000 /dev/zero > "$2/part"
while [ ! -e seen ]; do sleep 0.01; done
echo whole > onnxruntime-node.tgz
`), bin, "npm")
	if err := os.Chmod(filepath.Join(bin, "npm"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	sources := officialSources(testPlatform)
	var last int64
	file, err := sources[slices.IndexFunc(sources, func(s source) bool { return s.name == "npm" })].fetch(ctx, dir, func(done, total int64) {
		if last = done; done == 1000 {
			librarytest.Write(t, nil, dir, "seen")
		}
		if total != DownloadSize {
			t.Errorf("%d bytes in all", total)
		}
	})
	if err != nil || filepath.Base(file) != "onnxruntime-node.tgz" || last != DownloadSize {
		t.Errorf("%s, %v, %d bytes at the end", file, err, last)
	}
}

// Where nothing can be written no source is to blame.
func TestSetupNotWritable(t *testing.T) {
	cache := librarytest.Write(t, nil, t.TempDir(), "cache") // a file
	never := source{"x", 0, func(context.Context, string, func(done, total int64)) (string, error) {
		t.Error("fetched in vain")
		return "", errors.New("nothing")
	}}
	_, err := setup(t.Context(), Options{CacheDir: cache},
		plan{testPlatform, nil, []source{never}, defaultLimits(), testCUDA()})
	if err == nil || !strings.Contains(err.Error(), "cannot be written to") {
		t.Errorf("error is %v", err)
	}
	if os.Getuid() <= 0 {
		return // root writes everywhere, and on Windows nobody is asked
	}
	cache = t.TempDir()
	parent := filepath.Join(cache, filepath.FromSlash(filepath.Dir(installedIn)))
	if err := errors.Join(os.MkdirAll(parent, 0o755), os.Chmod(parent, 0o555)); err != nil {
		t.Fatal(err)
	}
	_, err = setup(t.Context(), Options{CacheDir: cache},
		plan{testPlatform, nil, []source{never}, defaultLimits(), testCUDA()})
	if err == nil || !strings.Contains(err.Error(), parent+" cannot be written to: permission denied; ") {
		t.Errorf("error is %v", err)
	}
}

func fileExists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}

func TestOfficialPins(t *testing.T) {
	seen := map[[3]string]bool{}
	for _, p := range officialPins() {
		key := [3]string{p.source, p.kind, string(p.platform)}
		if p.kind == "provider" { // of several parts
			key[1] += p.sha256
		}
		if raw, err := hex.DecodeString(p.sha256); err != nil || len(raw) != 32 || seen[key] {
			t.Errorf("bad or repeated pin %+v", p)
		}
		seen[key] = true
		if p.source == "github" {
			if _, err := releaseURL(p.platform); err != nil {
				t.Error(err)
			}
		}
	}
	for _, s := range officialSources(testPlatform) {
		if len(pinned(officialPins(), s.name, testPlatform)) != 1 {
			t.Errorf("source %s has no pin for %s", s.name, testPlatform)
		}
	}
	for p := range cudaBuilds {
		parts := map[string]int{}
		for _, pin := range pinned(officialPins(), cudaSource, p) {
			parts[pin.kind]++
		}
		if diff := cmp.Diff(map[string]int{"archive": 1, "library": 1, "provider": 2}, parts); diff != "" {
			t.Errorf("pins for CUDA on %s: %s", p, diff)
		}
	}
	if _, err := releaseURL("plan9-mips"); err == nil {
		t.Error("there is a release for plan9")
	}
}

// TestPlainHTTP: what anyone on the way can replace is asked for in so many words.
func TestPlainHTTP(t *testing.T) {
	archive := tgz(t, member{"libonnxruntime.so", librarytest.Fake(librarytest.AMD64, "a")})
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = w.Write(archive)
	}))
	defer server.Close()
	for _, from := range []string{server.URL + "/a.tgz", strings.Replace(server.URL, "http", "HTTP", 1) + "/a.tgz"} {
		_, err := setup(t.Context(), Options{From: from, CacheDir: t.TempDir()},
			plan{testPlatform, nil, nil, defaultLimits(), testCUDA()})
		if err == nil || !strings.Contains(err.Error(), "--insecure") || asked != 0 {
			t.Errorf("%s: error %v after %d requests", from, err, asked)
		}
	}
	request := func(url string) *http.Request { return httptest.NewRequest(http.MethodGet, url, nil) }
	if err := staySecure(request("http://b/"), []*http.Request{request("https://a/")}); err == nil {
		t.Error("a redirect from https to http is followed")
	}
	if err := staySecure(request("https://b/"), []*http.Request{request("https://a/")}); err != nil {
		t.Error(err)
	}
	if err := staySecure(request("https://b/"), slices.Repeat([]*http.Request{request("https://a/")}, 10)); err == nil {
		t.Error("redirects never end")
	}
}

// TestSetupRefusesTruncatedLibraries: neither the library nor a provider comes into
// the cache.
func TestSetupRefusesTruncatedLibraries(t *testing.T) {
	lib := librarytest.Fake(librarytest.AMD64, "whole")
	for cut, members := range map[string][]member{
		"core": {{"libonnxruntime.so", lib[:len(lib)-2]}, {"libonnxruntime_providers_cuda.so", lib},
			{"libonnxruntime_providers_shared.so", lib}},
		"provider": {{"libonnxruntime.so", lib}, {"libonnxruntime_providers_cuda.so", lib[:len(lib)-2]},
			{"libonnxruntime_providers_shared.so", lib}},
	} {
		cache := t.TempDir()
		from := librarytest.Write(t, tgz(t, members...), t.TempDir(), "a.tgz")
		_, err := setup(t.Context(), Options{From: from, CacheDir: cache, Provider: "cuda"},
			plan{testPlatform, nil, nil, defaultLimits(), testCUDA()})
		if err == nil || !strings.Contains(err.Error(), "is cut short") ||
			strings.Contains(err.Error(), stagePrefix) {
			t.Errorf("%s: %v", cut, err)
		}
		if left := filesBelow(t, cache); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestNilContext(t *testing.T) {
	var none context.Context
	if _, err := Setup(none, Options{CacheDir: t.TempDir()}); err == nil ||
		!strings.Contains(err.Error(), "the context is nil") {
		t.Error(err)
	}
}
