package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nopezoo/zoo/internal/clients"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/ort/library"
)

// source is one way to get a file that holds the library, or a folder that does.
type source struct {
	name  string // as in the pin table; "" for what Options.From names
	size  int64  // of the download in bytes, 0 where only the server knows
	fetch func(ctx context.Context, dir string, progress func(done, total int64)) (path string, err error)
}

// officialSources lists the sources in the order in which Setup tries them. The wheel is last, though a fifth of
// npm's package: its library has no WebGPU.
func officialSources(p library.Platform) []source {
	wheel, noWheel := cpuWheel(p)
	return []source{
		{"github", 0, func(ctx context.Context, dir string, progress func(done, total int64)) (string, error) {
			u, err := releaseURL(p)
			if err != nil {
				return "", err
			}
			return download(ctx, u, dir, defaultLimits().total, progress)
		}},
		watched("npm", DownloadSize, func(ctx context.Context, dir string) (string, error) {
			return npmPack(ctx, dir, "onnxruntime-node", exec.LookPath) // it carries the library for every platform
		}),
		watched("pip", wheel.size, func(ctx context.Context, dir string) (string, error) {
			if noWheel != nil {
				return "", noWheel
			}
			return pipDownload(ctx, dir, wheel.requirement, exec.LookPath)
		}),
	}
}

// cudaSource names the one source of builds with the CUDA provider.
const cudaSource = "pip, onnxruntime-gpu"

// watched is a source whose client reports nothing: progress is what lies in its folder.
func watched(name string, size int64, fetch func(ctx context.Context, dir string) (string, error)) source {
	return source{name, size, func(ctx context.Context, dir string, progress func(done, total int64)) (string, error) {
		stop := watch(dir, size, meter(progress, 0, size))
		file, err := fetch(ctx, dir)
		stop(err == nil)
		return file, err
	}}
}

// build is a package that holds the library for one platform, with its size in bytes.
type build struct {
	requirement
	size int64
}

// cudaBuilds are the packages that hold the library and its CUDA provider.
var cudaBuilds = map[library.Platform]build{
	"linux-amd64":   {requirement{"onnxruntime-gpu", ort.Version, "manylinux_2_28_x86_64"}, 202_177_606},
	"windows-amd64": {requirement{"onnxruntime-gpu", ort.Version, "win_amd64"}, 148_173_233},
}

// cudaSources is officialSources for builds with the CUDA provider.
func cudaSources(p library.Platform) []source {
	build, ok := cudaBuilds[p]
	return []source{watched(cudaSource, build.size, func(ctx context.Context, dir string) (string, error) {
		if !ok {
			return "", fmt.Errorf("there is no build for %s", p)
		}
		return pipDownload(ctx, dir, build.requirement, exec.LookPath)
	})}
}

// releaseURL is the archive of the official release for a platform.
func releaseURL(p library.Platform) (string, error) {
	name, ok := map[library.Platform]string{
		"linux-amd64":   "linux-x64-" + ort.Version + ".tgz",
		"linux-arm64":   "linux-aarch64-" + ort.Version + ".tgz",
		"darwin-arm64":  "osx-arm64-" + ort.Version + ".tgz",
		"windows-amd64": "win-x64-" + ort.Version + ".zip",
	}[p]
	if !ok {
		return "", fmt.Errorf("the release has no pinned archive for %s", p)
	}
	return "https://github.com/microsoft/onnxruntime/releases/download/v" + ort.Version + "/onnxruntime-" + name, nil
}

const (
	connectTimeout = 5 * time.Second
	stallTimeout   = 30 * time.Second // no byte for this long ends a download
)

var errStalled = fmt.Errorf("no data for %s", stallTimeout)

// download fetches a URL of at most limit bytes into dir.
func download(ctx context.Context, rawURL, dir string, limit int64, progress func(done, total int64)) (string, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(stallTimeout, func() { cancel(errStalled) })
	defer watchdog.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, rawURL, nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment, // as every HTTP client of the standard library
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		DisableKeepAlives:   true,
	}, CheckRedirect: staySecure}
	resp, err := client.Do(req)
	if err != nil {
		return "", cause(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("get %s: %s", u.Redacted(), resp.Status)
	}
	name := filepath.Join(dir, "download"+filepath.Ext(path.Base(u.Path)))
	alive := func() { watchdog.Reset(stallTimeout) }
	body := &progressReader{r: resp.Body, total: resp.ContentLength, report: progress, alive: alive}
	if _, _, err := writeCapped(name, body, limit); err != nil {
		return "", fmt.Errorf("get %s: %w", u.Redacted(), cause(ctx, err))
	}
	return name, nil
}

// staySecure follows redirects as the standard client does, but none from https to
// plain http.
func staySecure(req *http.Request, via []*http.Request) error {
	if req.URL.Scheme != "https" && via[0].URL.Scheme == "https" {
		return fmt.Errorf("redirected from https to %s", req.URL.Redacted())
	}
	if len(via) >= 10 {
		return errors.New("more than 10 redirects")
	}
	return nil
}

// cause prefers the reason a context ended over the error that it led to.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

type progressReader struct {
	r           io.Reader
	done, total int64
	report      func(done, total int64)
	alive       func()
}

func (p *progressReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if n > 0 {
		p.alive()
		p.done += int64(n)
		if p.report != nil {
			p.report(p.done, p.total)
		}
	}
	return n, err
}

// findProgram is exec.LookPath; tests have their own.
type findProgram func(name string) (path string, err error)

// npmPack has the npm client fetch a package of ort.Version.
func npmPack(ctx context.Context, dir, name string, lookPath findProgram) (string, error) {
	npm, err := lookPath("npm")
	if err != nil {
		return "", err
	}
	return clients.NPMPack(ctx, dir, npm, name+"@"+ort.Version)
}

// requirement is a package that a pip client fetches.
type requirement struct {
	name, version string
	tag           string // of the platform
}

// cpuWheel is the package that holds the library for a platform.
func cpuWheel(p library.Platform) (build, error) {
	wheel, ok := map[library.Platform]build{
		"linux-amd64":   {requirement{"onnxruntime", ort.Version, "manylinux_2_28_x86_64"}, 23_136_745},
		"linux-arm64":   {requirement{"onnxruntime", ort.Version, "manylinux_2_28_aarch64"}, 20_816_870},
		"darwin-arm64":  {requirement{"onnxruntime", ort.Version, "macosx_14_0_arm64"}, 21_430_049},
		"windows-amd64": {requirement{"onnxruntime", ort.Version, "win_amd64"}, 14_001_407},
		"windows-arm64": {requirement{"onnxruntime", ort.Version, "win_arm64"}, 13_746_981},
	}[p]
	if !ok {
		return build{}, fmt.Errorf("there is no wheel for %s", p)
	}
	return wheel, nil
}

// pipArguments let pip fetch packages for another platform than its Python's.
func pipArguments(all ...requirement) []string {
	args := []string{"download", "--no-deps", "--only-binary=:all:", "--python-version", "3.12"}
	for i, r := range all {
		if !slices.ContainsFunc(all[:i], func(before requirement) bool { return before.tag == r.tag }) {
			args = append(args, "--platform", r.tag)
		}
	}
	for _, r := range all {
		args = append(args, r.name+"=="+r.version)
	}
	return args
}

// pipDownload has a pip client fetch a package into dir, where it also keeps what it
// writes on the way: a cache of pip's own would take the same room again.
func pipDownload(ctx context.Context, dir string, r requirement, lookPath findProgram) (string, error) {
	args := append(pipArguments(r), "--dest", dir, "--no-cache-dir", "--no-input", "--disable-pip-version-check",
		"--progress-bar", "off", "--retries", "1")
	var failed []string
	seen := map[string]bool{} // several names lead to one client
	for _, pip := range [][]string{{"pip3"}, {"pip"}, {"python3", "-m", "pip"}, {"python", "-m", "pip"}} {
		exe, err := lookPath(pip[0])
		if err == nil {
			_, err = clients.Run(ctx, dir, exe, append(pip[1:], args...)...)
		}
		if err == nil {
			return clients.Single(dir, "*.whl")
		}
		if reason := strings.TrimPrefix(err.Error(), exe); !seen[reason] {
			failed = append(failed, err.Error())
			seen[reason] = true
		}
		if ctx.Err() != nil {
			break
		}
	}
	return "", errors.New(strings.Join(failed, "; "))
}
