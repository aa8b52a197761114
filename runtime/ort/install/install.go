// Package install fetches the ONNX Runtime library into the per-user cache, where
// package ort finds it, and checks it against pinned hashes. A program that only runs
// models does not need it.
package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/ort/library"
)

// Options says what to install and from where. The zero value installs the
// CPU library from the first official source that works.
type Options struct {
	// From is a URL, a library file, an archive (.tgz or .zip: a release
	// archive, an npm package, a Python wheel) or a folder that holds the
	// library (or whose lib folder does). "" tries, in order, the release
	// archive on GitHub, the npm client and the pip client, the clients with
	// their own configured registries; for the provider cuda only pip has one.
	From string

	// Insecure lets From be a plain http:// URL. Whoever is on the way can replace
	// what it gives, and it runs as part of the program.
	Insecure bool

	// CacheDir replaces the per-user cache folder. Find looks only in the latter.
	CacheDir string

	// Provider is "cpu" (or "") or "cuda": a build whose libraries
	// onnxruntime_providers_cuda and _shared are put next to the core library.
	Provider string

	// WithCUDA has the libraries of CUDA and cuDNN that the provider cuda needs fetched
	// by pip, instead of using the system's or a Python environment's.
	// One package after the other is put in place: an interrupted set-up goes on.
	WithCUDA bool

	// Fetching, when set, is told before each download the name of its content, and the
	// bytes to download and to keep, 0 where they are unknown.
	Fetching func(content string, download, keep int64)

	// Progress, when set, is told the bytes downloaded so far and in all (-1 when the
	// server does not say). The npm and pip clients report nothing: it is told the bytes
	// on disk.
	Progress func(done, total int64)
}

// Installed is the outcome of Setup.
type Installed struct {
	ort.Library
	Origin   string   `json:"origin"`   // what it came from: "github", "npm", "pip", or the value of From
	SHA256   string   `json:"sha256"`   // of the library
	Verified bool     `json:"verified"` // its hash, or its archive's, is pinned in zoo
	Present  bool     `json:"-"`        // it was there already, nothing was fetched
	Failed   []string `json:"-"`        // sources that were tried before Origin, each with its reason
	CUDA     *CUDA    `json:"-"`        // for the provider cuda
}

// Setup installs the ONNX Runtime library of ort.Version into the per-user cache,
// where Find finds it. Files are checked against the hashes pinned in zoo; an
// unknown hash is accepted only when From names the file, and is reported as not
// verified. Nothing is left behind on failure except complete packages of CUDA, and
// what killed set-ups left is cleared. Set-ups may run at the same time: each works in a
// folder of its own and renames its files into place.
func Setup(ctx context.Context, opt Options) (Installed, error) {
	if ctx == nil {
		return Installed{}, errors.New("ort: setup: the context is nil")
	}
	p := library.Host()
	sources := officialSources(p)
	if opt.Provider == "cuda" {
		sources = cudaSources(p)
	}
	return setup(ctx, opt, plan{p, officialPins(), sources, defaultLimits(), officialCUDA(p)})
}

// plan is what tests replace.
type plan struct {
	platform library.Platform
	pins     []pin
	sources  []source
	limits   limits
	cuda     cudaPlan
}

func setup(ctx context.Context, opt Options, pl plan) (Installed, error) {
	switch {
	case !slices.Contains([]string{"", "cpu", "cuda"}, opt.Provider):
		return Installed{}, fmt.Errorf("ort: setup: unknown provider %q, known are cpu and cuda", opt.Provider)
	case opt.WithCUDA && opt.Provider != "cuda":
		return Installed{}, errors.New("ort: setup: the libraries of CUDA are of no use to provider cpu; " +
			"use both, --provider cuda --with-cuda, or neither")
	}
	done, err := installLibrary(ctx, opt, pl)
	if err == nil && opt.Provider == "cuda" {
		done.CUDA, err = completeCUDA(ctx, done.Library, opt, pl)
	}
	if err != nil {
		return Installed{}, err
	}
	return done, nil
}

// stagePrefix begins the names of the folders that set-ups work in.
const stagePrefix = ".setup-"

// installLibrary installs ONNX Runtime itself.
func installLibrary(ctx context.Context, opt Options, pl plan) (Installed, error) {
	folder, err := library.CacheFolder(opt.CacheDir, pl.platform, opt.Provider == "cuda")
	if err != nil {
		return Installed{}, err
	}
	parent := filepath.Dir(folder)
	if opt.From != "" {
		pl.sources = []source{opt.source(pl.limits.total)}
	} else if done, ok := present(folder, pl.platform, pl.pins, opt.Provider == "cuda"); ok {
		return done, nil
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return Installed{}, notWritable(parent, err)
	}
	var failed []string
	for _, s := range pl.sources {
		stage, release, err := files.Stage(parent, stagePrefix)
		if err != nil { // no source can help
			return Installed{}, notWritable(parent, err)
		}
		if opt.Fetching != nil && !opt.fromDisk() {
			opt.Fetching("ONNX Runtime "+ort.Version+" from "+cmp.Or(s.name, "the URL"), s.size, 0)
		}
		done, err := attempt(ctx, folder, stage, opt, pl, s)
		release()
		switch {
		case err == nil:
			done.Failed = failed
			return done, nil
		case opt.From != "":
			return Installed{}, fmt.Errorf("ort: setup from %s: %w", opt.From, err)
		case ctx.Err() != nil:
			return Installed{}, fmt.Errorf("ort: setup: %w", context.Cause(ctx))
		}
		failed = append(failed, s.name+": "+err.Error())
	}
	return Installed{}, fmt.Errorf("ort: setup: no source could provide ONNX Runtime %s for %s:\n  %s\n%s",
		ort.Version, pl.platform, strings.Join(failed, "\n  "), byHand(opt.Provider, pl.platform))
}

// notWritable reports that nothing can be installed below a folder.
func notWritable(folder string, err error) error {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	return fmt.Errorf("ort: setup: %s cannot be written to: %w; make it writable, or have the per-user cache "+
		"elsewhere (on Linux by XDG_CACHE_HOME)", folder, err)
}

// byHand says what can be done where no source works.
func byHand(provider string, p library.Platform) string {
	build, ok := cudaBuilds[p]
	switch {
	case provider != "cuda":
		return "to install it by hand, download the release archive on any machine and run: zoo setup --from FILE"
	case !ok:
		return "name a build that you have: zoo setup --provider cuda --from DIR"
	}
	return "to install it by hand, fetch it on any machine with: pip " +
		strings.Join(pipArguments(build.requirement), " ") + "\nand run: zoo setup --provider cuda --from FILE; " +
		"a build of your own can be named too: zoo setup --provider cuda --from DIR"
}

// attempt installs from one source, and works in the folder stage.
func attempt(ctx context.Context, folder, stage string, opt Options, pl plan, s source) (Installed, error) {
	path, err := s.fetch(ctx, stage, opt.Progress)
	if err != nil {
		return Installed{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return Installed{}, err
	}
	r := record{Origin: cmp.Or(s.name, opt.From)}
	pins := pinned(pl.pins, s.name, pl.platform)
	if !info.IsDir() {
		if !info.Mode().IsRegular() { // a device may have no end, and a pipe is read once
			return Installed{}, fmt.Errorf("%s is neither a file nor a folder; save what it gives to a file, and name that",
				path)
		}
		if r.Archive, err = fileSHA256(path); err != nil {
			return Installed{}, err
		}
		// An official archive is not even opened before its hash is known to be right.
		if err := checkArchive(pins, s.name != "", r.Archive); err != nil {
			return Installed{}, err
		}
	}
	x := &extractor{dir: filepath.Join(stage, "unpacked"), platform: pl.platform,
		providers: opt.Provider == "cuda", limits: pl.limits}
	if err := os.Mkdir(x.dir, 0o755); err != nil {
		return Installed{}, err
	}
	if err := x.take(path, info); err != nil {
		return Installed{}, err
	}
	r.SHA256 = x.sha256
	verified, err := verify(pins, s.name != "", r.Archive, r.SHA256, x.otherSums)
	if err != nil {
		return Installed{}, err
	}
	if ctx.Err() != nil {
		return Installed{}, context.Cause(ctx)
	}
	return publish(folder, x, r, verified)
}

// fromDisk reports whether From names a file or a folder.
func (o Options) fromDisk() bool { return o.From != "" && !strings.Contains(o.From, "://") }

// source is the source that From names.
func (o Options) source(limit int64) source {
	return source{fetch: func(ctx context.Context, dir string, progress func(done, total int64)) (string, error) {
		scheme, _, _ := strings.Cut(strings.ToLower(o.From), "://")
		switch {
		case scheme == "http" && !o.Insecure:
			return "", errors.New("plain http lets anyone on the way replace the library, which then runs as part " +
				"of zoo; use an https URL, or say that you accept this: zoo setup --insecure")
		case scheme == "http" || scheme == "https":
			return download(ctx, o.From, dir, limit, progress)
		}
		return o.From, nil
	}}
}

func checkArchive(pins []pin, official bool, sum string) error {
	for _, p := range pins {
		if official && p.kind == "archive" && p.sha256 != sum {
			return fmt.Errorf("sha256 of the archive is %s, pinned is %s: download refused", sum, p.sha256)
		}
	}
	return nil
}

// verify reports whether the archive has a pinned hash, or else the library and the
// providers that came with it. For an official source anything else is an error.
func verify(pins []pin, official bool, archiveSum, librarySum string, providerSums []string) (bool, error) {
	var want []string
	for _, p := range pins {
		if p.kind == "archive" && p.sha256 == archiveSum ||
			p.kind == "library" && p.sha256 == librarySum && allPinned(pins, providerSums) {
			return true, nil
		}
		want = append(want, p.sha256)
	}
	switch {
	case !official:
		return false, nil
	case len(want) == 0:
		return false, errors.New("no hash is pinned for this platform")
	}
	return false, fmt.Errorf("sha256 of the library is %s, pinned is %s: library refused",
		librarySum, strings.Join(want, " or "))
}

// allPinned reports whether all hashes are providers'.
func allPinned(pins []pin, sums []string) bool {
	for _, sum := range sums {
		if !slices.ContainsFunc(pins, func(p pin) bool { return p.kind == "provider" && p.sha256 == sum }) {
			return false
		}
	}
	return true
}

// publish moves the unpacked files into the folder, the core library after the
// providers it may load and the record last, each by an atomic rename. The last
// of two set-ups wins; both are complete.
func publish(folder string, x *extractor, r record, verified bool) (Installed, error) {
	_, err := library.Check(x.core, x.platform)
	if err == nil {
		err = library.CheckProviders(x.dir, x.platform)
	}
	if err != nil { // which names files of a folder that nobody will find
		return Installed{}, errors.New(strings.ReplaceAll(err.Error(), x.dir+string(filepath.Separator), ""))
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return Installed{}, err
	}
	for _, f := range append(slices.Clone(x.others), x.core) {
		if err := os.Rename(f, filepath.Join(folder, filepath.Base(f))); err != nil {
			return Installed{}, err
		}
	}
	if err := files.WriteJSONAtomic(filepath.Join(folder, recordName), r); err != nil {
		return Installed{}, err
	}
	path := filepath.Join(folder, filepath.Base(x.core))
	return Installed{
		Library: ort.Library{Path: path, Source: ort.FromCache, Version: library.VersionOf(path, x.platform)},
		Origin:  r.Origin, SHA256: r.SHA256, Verified: verified,
	}, nil
}
