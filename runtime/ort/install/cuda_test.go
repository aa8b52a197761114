package install

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/ort/library"
	"github.com/nopezoo/zoo/internal/ort/library/librarytest"
)

const installedCUDA = installedIn + "-cuda/"

// cudaRig is a set-up of a build for CUDA 13 and of two packages, from local archives.
type cudaRig struct {
	plan
	archives map[string][]byte // of the packages, by name
	fetched  []string
	opened   int
}

func newCUDARig(t *testing.T) *cudaRig {
	needing := librarytest.Needing(librarytest.AMD64, "libcublas.so.13", "libcuda.so.1", "libc.so.6")
	shared := librarytest.Fake(librarytest.AMD64, "shared")
	core := librarytest.Fake(librarytest.AMD64, "core")
	build := zipped(t, member{"onnxruntime/capi/libonnxruntime.so.1.29.0", core},
		member{"onnxruntime/capi/libonnxruntime_providers_cuda.so", needing},
		member{"onnxruntime/capi/libonnxruntime_providers_shared.so", shared},
		member{"onnxruntime/capi/libonnxruntime_providers_tensorrt.so", needing})
	r := &cudaRig{archives: map[string][]byte{
		"blas": zipped(t, member{"nvidia/cu13/lib/libcublas.so.13", []byte("cublas")},
			member{"nvidia/cu13/lib/libnvblas.so.13", []byte("not wanted")}),
		"cudnn": zipped(t, member{"nvidia/cudnn/lib/libcudnn.so.9", []byte("cudnn")},
			member{"nvidia/cudnn/lib/libnvrtc.so.13", []byte("nvrtc")}),
	}}
	r.plan = plan{testPlatform, []pin{{"pip", "archive", testPlatform, sum(build)},
		{"pip", "library", testPlatform, sum(core)}, {"pip", "provider", testPlatform, sum(needing)},
		{"pip", "provider", testPlatform, sum(shared)}}, []source{serving(t, "pip", build)}, defaultLimits(), testCUDA()}
	size := func(name string) int64 { return int64(len(r.archives[name])) }
	r.cuda.wheels = []wheel{
		{requirement{"blas", "13.1", "any"}, sum(r.archives["blas"]), size("blas"), []string{"libcublas.so.13"}, 6},
		{requirement{"cudnn", "9.15", "any"}, sum(r.archives["cudnn"]), size("cudnn"),
			[]string{"libcudnn.so.9", "libnvrtc.so.13"}, 10},
	}
	r.cuda.fetch = func(_ context.Context, dir string, w wheel) (string, error) {
		r.fetched = append(r.fetched, w.name)
		if r.archives[w.name] == nil {
			return "", errors.New("not reached")
		}
		return librarytest.Write(t, r.archives[w.name], dir, w.name+".whl"), nil
	}
	// The stand-in of the loader finds what is in the places of a library, and nothing else.
	r.cuda.open = func(lib ort.Library) (ort.CUDA, error) {
		r.opened++
		names, version, err := library.CUDANeeds(filepath.Dir(lib.Path), testPlatform)
		if err != nil {
			return ort.CUDA{}, err
		}
		places, err := library.CUDAPlaces(filepath.Dir(lib.Path), testPlatform)
		if err != nil {
			return ort.CUDA{}, err
		}
		c := ort.CUDA{Version: version}
		for _, name := range names {
			path := library.InPlace(slices.Concat(places...), name)
			switch folder := filepath.Dir(path); {
			case path == "":
				c.Missing, c.Libraries = append(c.Missing, name), errors.New("not here")
			case !slices.Contains(c.Places, folder):
				c.Places = append(c.Places, folder)
			}
		}
		return c, nil
	}
	return r
}

func (r *cudaRig) setup(t *testing.T, opt Options) Installed {
	t.Helper()
	opt.Provider = "cuda"
	r.fetched, r.opened = nil, 0
	got, err := setup(t.Context(), opt, r.plan)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestSetupFetchesCUDA(t *testing.T) {
	r := newCUDARig(t)
	cache := t.TempDir()
	var contents []string
	var told []int64
	var last, total int64
	opt := Options{CacheDir: cache, WithCUDA: true,
		Fetching: func(content string, download, keep int64) {
			contents, told = append(contents, content), append(told, download, keep)
		},
		Progress: func(d, n int64) { last, total = d, n }}
	got := r.setup(t, opt)
	all := int64(len(r.archives["blas"]) + len(r.archives["cudnn"]))
	if diff := cmp.Diff([]int64{0, 0, all, 16}, told); diff != "" {
		t.Error("told before: ", diff)
	}
	if want := []string{"ONNX Runtime " + ort.Version + " from pip", "2 packages of CUDA and cuDNN"}; !slices.Equal(contents, want) {
		t.Errorf("told before: %q", contents)
	}
	if last != all || total != all {
		t.Errorf("progress ended at %d of %d, the packages have %d bytes", last, total, all)
	}
	if c := got.CUDA; c.Err != nil || c.Libraries != nil || c.Version != "13" ||
		!slices.Equal(c.Fetched, []string{"blas 13.1", "cudnn 9.15"}) ||
		c.Folder != filepath.Join(filepath.Dir(got.Path), "cuda") || !slices.Equal(c.Places, []string{c.Folder}) {
		t.Errorf("%+v", c)
	}
	const in = installedCUDA
	want := []string{in + "cuda/libcublas.so.13", in + "cuda/libcudnn.so.9", in + "cuda/libnvrtc.so.13",
		in + "cuda/origin.json", in + "libonnxruntime.so", in + "libonnxruntime_providers_cuda.so",
		in + "libonnxruntime_providers_shared.so", in + "origin.json"}
	if diff := cmp.Diff(want, filesBelow(t, cache)); diff != "" {
		t.Error(diff)
	}

	// What is there is not fetched again; a damaged part is, alone.
	r.sources, told = nil, nil
	if got = r.setup(t, opt); !got.Present || len(r.fetched) != 0 || told != nil || got.CUDA.Fetched != nil ||
		got.CUDA.Folder == "" {
		t.Errorf("a second set-up fetches %v: %+v", r.fetched, got.CUDA)
	}
	librarytest.Write(t, []byte("x"), got.CUDA.Folder, "libnvrtc.so.13")
	if got = r.setup(t, opt); !slices.Equal(r.fetched, []string{"cudnn"}) {
		t.Errorf("after damage it fetches %v", r.fetched)
	}
	// A provider that was changed is not taken as installed.
	librarytest.Write(t, librarytest.Fake(librarytest.AMD64, "evil"), filepath.Dir(got.Path),
		"libonnxruntime_providers_cuda.so")
	if _, err := setup(t.Context(), Options{Provider: "cuda", CacheDir: cache}, r.plan); err == nil ||
		!strings.Contains(err.Error(), "no source") {
		t.Errorf("a changed provider: %v", err)
	}
}

// TestSetupGoesOn: what an interrupted set-up has fetched is kept.
func TestSetupGoesOn(t *testing.T) {
	r := newCUDARig(t)
	cache := t.TempDir()
	whole := r.archives["cudnn"]
	delete(r.archives, "cudnn")
	opt := Options{Provider: "cuda", CacheDir: cache, WithCUDA: true}
	_, err := setup(t.Context(), opt, r.plan)
	for _, want := range []string{"cudnn 9.15: not reached", "run the same command again",
		"--platform any blas==13.1 cudnn==9.15\n", "PIP_FIND_LINKS"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want it to contain %q", err, want)
		}
	}
	if left := strings.Join(filesBelow(t, cache), " "); strings.Contains(left, stagePrefix) {
		t.Errorf("left behind: %v", left)
	}
	r.archives["cudnn"] = whole
	var told []string
	r.setup(t, Options{CacheDir: cache, WithCUDA: true, Fetching: func(content string, _, _ int64) { told = append(told, content) }})
	if !slices.Equal(r.fetched, []string{"cudnn"}) || !slices.Equal(told, []string{"1 package of CUDA and cuDNN"}) {
		t.Errorf("it goes on with %v, and says %q", r.fetched, told)
	}

	ctx, cancel := context.WithCancel(t.Context())
	r.cuda.fetch = func(ctx context.Context, _ string, _ wheel) (string, error) { cancel(); return "", ctx.Err() }
	opt.CacheDir = t.TempDir()
	if _, err := setup(ctx, opt, r.plan); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "pip") {
		t.Errorf("interrupted: %v", err)
	}
}

func TestSetupRefusesCUDA(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		change     func(*cudaRig)
	}{
		{"hash", "pinned is ab: refused", func(r *cudaRig) { r.cuda.wheels[0].sha256 = "ab" }},
		{"no such library in it", "blas.whl holds no libother.so", func(r *cudaRig) {
			r.cuda.wheels[0].files = append(r.cuda.wheels[0].files, "libother.so")
		}},
		{"no archive", "zip: not a valid zip file", func(r *cudaRig) {
			r.archives["blas"] = []byte("text")
			r.cuda.wheels[0].sha256 = sum([]byte("text"))
		}},
		{"too big", "more than the limit", func(r *cudaRig) {
			r.cuda.wheels[0].files = []string{"libnvblas.so.13", "libcublas.so.13"}
			r.archives["blas"] = zipped(t, member{"libcublas.so.13", make([]byte, 2000)})
			r.cuda.wheels[0].sha256, r.limits.file = sum(r.archives["blas"]), 1000
		}},
		{"disk", "CUDA needs 1000 MB of free space in ", func(r *cudaRig) {
			r.cuda.wheels[0].unpacked = 1e9
			r.cuda.free = func(string) (int64, error) { return 1e9 - 1, nil }
		}},
		{"another version", "needs libnvrtc.so.13 (CUDA 13)", func(r *cudaRig) {
			r.cuda.wheels[1].files = []string{"libcudnn.so.9"}
		}},
		{"no packages", "no packages of CUDA for linux-amd64", func(r *cudaRig) { r.cuda.wheels = nil }},
	} {
		r := newCUDARig(t)
		tt.change(r)
		cache := t.TempDir()
		_, err := setup(t.Context(), Options{Provider: "cuda", CacheDir: cache, WithCUDA: true}, r.plan)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.want)
		}
		for _, f := range filesBelow(t, cache) {
			if strings.Contains(f, "/cuda/") || strings.Contains(f, stagePrefix) {
				t.Errorf("%s: left behind: %s", tt.name, f)
			}
		}
	}
}

// TestSetupPython: what a Python environment has is used where it is, once the system
// lacks it.
func TestSetupPython(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Python is a shell script")
	}
	r := newCUDARig(t)
	bin, env := t.TempDir(), t.TempDir()
	packages := filepath.Join(env, "lib [1]", "site-packages")
	librarytest.Write(t, nil, packages, "nvidia", "cu13", "lib", "libcublas.so.13")
	librarytest.Write(t, nil, packages, "nvidia", "cu13", "lib", "libnvrtc.so.13")
	librarytest.Write(t, nil, packages, "nvidia", "nccl", "lib", "libnccl.so.2")
	librarytest.Write(t, nil, env, "lib", "libcudnn.so.9")
	script := func(name, text string) {
		path := librarytest.Write(t, []byte("#!/bin/sh\n"+text), bin, name)
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script("python3", "echo broken; exit 1")
	script("python", `echo '{"packages": ["/nowhere", "`+packages+`", "`+packages+`"], "prefix": "`+env+`"}'`)
	r.cuda.lookPath = func(name string) (string, error) { return exec.LookPath(filepath.Join(bin, name)) }

	cache := t.TempDir()
	got := r.setup(t, Options{CacheDir: cache})
	want := []string{filepath.Join(packages, "nvidia", "cu13", "lib"), filepath.Join(env, "lib")}
	if c := got.CUDA; c.Err != nil || c.Libraries != nil || r.opened != 2 {
		t.Errorf("%+v after %d looks", c, r.opened)
	} else if diff := cmp.Diff(want, c.Places); diff != "" {
		t.Error(diff)
	}
	if len(r.fetched) != 0 || got.CUDA.Folder != "" {
		t.Errorf("fetched %v", r.fetched)
	}

	// Neither the system nor Python has the rest: it is named.
	if err := os.Remove(filepath.Join(env, "lib", "libcudnn.so.9")); err != nil {
		t.Fatal(err)
	}
	got = r.setup(t, Options{CacheDir: cache})
	if diff := cmp.Diff([]string{"libcudnn.so.9"}, got.CUDA.Missing); diff != "" {
		t.Error(diff)
	}

	// Outside the environment it is still known; what was fetched goes before it.
	librarytest.Write(t, nil, env, "lib", "libcudnn.so.9")
	r.cuda.lookPath = testCUDA().lookPath
	if got = r.setup(t, Options{CacheDir: cache}); got.CUDA.Libraries != nil {
		t.Errorf("%+v", got.CUDA)
	}
	got = r.setup(t, Options{CacheDir: cache, WithCUDA: true})
	if diff := cmp.Diff([]string{got.CUDA.Folder}, got.CUDA.Places); diff != "" {
		t.Error(diff)
	}
}

// TestWhereScript asks the Python of this machine.
func TestWhereScript(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs Python")
	}
	env := t.TempDir()
	librarytest.Write(t, nil, env, "nvidia", "cudnn", "lib", "libcudnn.so.9")
	where, err := exec.Command(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").Output()
	if err != nil {
		t.Skip(err)
	}
	out, err := exec.Command(python, "-c", whereScript).Output()
	if err != nil || !strings.Contains(string(out), strings.TrimSpace(string(where))) {
		t.Errorf("%s (%v) does not name %s", out, err, where)
	}
	if got := pythonFolders(t.Context(), []string{"libnone.so.1"}, []string{"libnone.so.1"}, exec.LookPath); got != nil {
		t.Errorf("%v", got)
	}
	if diff := cmp.Diff([]string{filepath.Join(env, "nvidia", "cudnn", "lib")},
		cudaFoldersOf([]string{env, env}, "", []string{"libcudnn.so.9"})); diff != "" {
		t.Error(diff)
	}
}

// TestSetupCannotLook: a build that can open no library says so, and has what is there recorded.
func TestSetupCannotLook(t *testing.T) {
	r := newCUDARig(t)
	r.cuda.open = func(ort.Library) (ort.CUDA, error) { return ort.CUDA{}, ort.ErrNoCgo }
	if got := r.setup(t, Options{CacheDir: t.TempDir()}); !errors.Is(got.CUDA.Err, ort.ErrNoCgo) {
		t.Errorf("%+v", got.CUDA)
	}
}

func TestWatch(t *testing.T) {
	dir := t.TempDir()
	reports := make(chan int64, 100)
	stop := watch(dir, 2000, func(done int64) { reports <- done })
	librarytest.Write(t, make([]byte, 1000), dir, "a", "part")
	for deadline := time.After(30 * time.Second); ; {
		select {
		case done := <-reports:
			if done == 0 {
				continue
			}
			if done != 1000 {
				t.Errorf("%d bytes", done)
			}
		case <-deadline:
			t.Fatal("nothing is reported")
		}
		break
	}
	librarytest.Write(t, make([]byte, 9000), dir, "b")
	stop(true)
	last := int64(0)
	for len(reports) > 0 {
		last = <-reports
	}
	if last != 2000 {
		t.Errorf("it ends at %d of 2000", last)
	}
}

// What pip cannot fetch is not reported as whole.
func TestUnreachable(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // where no pip is
	most := int64(0)
	fetch := cudaSources(testPlatform)[0].fetch
	if _, err := fetch(t.Context(), t.TempDir(), func(done, _ int64) { most = max(most, done) }); err == nil || most > 0 {
		t.Errorf("%d bytes of ONNX Runtime are reported, error %v", most, err)
	}
	r := newCUDARig(t)
	delete(r.archives, "blas")
	delete(r.archives, "cudnn")
	told := false
	most = 0
	opt := Options{CacheDir: t.TempDir(), Provider: "cuda", WithCUDA: true,
		Fetching: func(content string, _, _ int64) { told = strings.Contains(content, "CUDA") },
		Progress: func(done, _ int64) {
			if told { // before, ONNX Runtime is fetched
				most = max(most, done)
			}
		}}
	if _, err := setup(t.Context(), opt, r.plan); err == nil || !told || most > 0 {
		t.Errorf("%d bytes of CUDA are reported, error %v", most, err)
	}
}

func TestFreeSpace(t *testing.T) {
	free, err := freeSpace(t.TempDir())
	if err != nil || free <= 0 && free != -1 {
		t.Errorf("%d, %v", free, err)
	}
	if _, err := freeSpace(filepath.Join(t.TempDir(), "none")); err == nil && free != -1 {
		t.Error("a folder that is not there has space")
	}
}

// TestCUDAWheels: the table has what the pinned build needs, once.
func TestCUDAWheels(t *testing.T) {
	needed := map[library.Platform][]string{
		"linux-amd64": {"libcublasLt.so.13", "libcublas.so.13", "libcurand.so.10", "libcudart.so.13", "libnvrtc.so.13",
			"libcudnn.so.9"},
		"windows-amd64": {"cublasLt64_13.dll", "cublas64_13.dll", "cudart64_13.dll", "nvrtc64_130_0.dll",
			"cudnn64_9.dll"},
	}
	for p := range cudaBuilds {
		if err := wheelsServe(cudaWheels(p), needed[p], cudaVersion, p); err != nil {
			t.Errorf("%s: %v", p, err)
		}
		seen := map[string]bool{}
		for _, w := range cudaWheels(p) {
			for _, name := range append(slices.Clone(w.files), w.name, w.sha256) {
				if seen[name] {
					t.Errorf("%s: %s twice", p, name)
				}
				seen[name] = true
			}
			if len(w.sha256) != 64 || w.size <= 0 || w.unpacked <= 0 {
				t.Errorf("%s: %+v", p, w)
			}
		}
	}
	if got := slices.Sorted(maps.Keys(cudaBuilds)); len(got) != len(needed) {
		t.Errorf("builds for %v", got)
	}
}
