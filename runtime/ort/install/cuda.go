package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/ort/library"
)

// CUDA says what the CUDA provider of an installed library has to work with.
type CUDA struct {
	ort.CUDA
	Err     error    // why nobody looked: ort.ErrNoCgo, or a provider that cannot be read
	Fetched []string // packages that were fetched now
	Folder  string   // where WithCUDA put them; "" where it was not asked for

	Download, Keep int64 // bytes that WithCUDA downloads and keeps here; 0 where there is nothing for it to fetch
}

// cudaPlan is what of CUDA's set-up tests replace.
type cudaPlan struct {
	wheels   []wheel
	fetch    func(ctx context.Context, dir string, w wheel) (path string, err error)
	free     func(dir string) (int64, error)
	lookPath findProgram
	open     func(ort.Library) (ort.CUDA, error)
}

func officialCUDA(p library.Platform) cudaPlan {
	return cudaPlan{
		wheels: cudaWheels(p),
		fetch: func(ctx context.Context, dir string, w wheel) (string, error) {
			return pipDownload(ctx, dir, w.requirement, exec.LookPath)
		},
		free: freeSpace, lookPath: exec.LookPath, open: ort.OpenCUDA,
	}
}

// completeCUDA sees to the libraries of CUDA and cuDNN for an installed library: it
// fetches them where that was asked for; where they are not in place otherwise it looks
// whether a Python environment has them, which it records.
func completeCUDA(ctx context.Context, lib ort.Library, opt Options, pl plan) (*CUDA, error) {
	folder := filepath.Dir(lib.Path)
	names, version, err := library.CUDANeeds(folder, pl.platform)
	if err != nil {
		return nil, err
	}
	var c CUDA
	c.Download, c.Keep = sizes(pl.cuda.wheels)
	if opt.WithCUDA {
		c.Folder = library.CUDAFolder(folder)
		if err := wheelsServe(pl.cuda.wheels, names, version, pl.platform); err != nil {
			return nil, err
		}
		if c.Fetched, err = fetchWheels(ctx, c.Folder, opt, pl); err != nil {
			return nil, err
		}
	}
	c.CUDA, c.Err = pl.cuda.open(lib)
	missing := c.Missing
	if errors.Is(c.Err, ort.ErrNoCgo) {
		missing = names // nobody looked
	} else if c.Err != nil {
		return &c, nil
	}
	if opt.WithCUDA || len(missing) == 0 {
		return &c, nil
	}
	folders := pythonFolders(ctx, names, missing, pl.cuda.lookPath)
	if len(folders) == 0 {
		return &c, nil
	}
	if err := library.RecordPython(folder, folders); err != nil {
		return nil, err
	}
	c.CUDA, c.Err = pl.cuda.open(lib)
	return &c, nil
}

// wheelsServe reports libraries that a provider needs and the wheels do not have, before
// anything is fetched in vain.
func wheelsServe(all []wheel, names []string, version string, p library.Platform) error {
	if len(all) == 0 {
		return fmt.Errorf("ort: setup: there are no packages of CUDA for %s", p)
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(w wheel) bool { return slices.Contains(w.files, name) }) {
			return fmt.Errorf("ort: setup: this build of ONNX Runtime needs %s (CUDA %s), --with-cuda fetches CUDA %s; "+
				"install CUDA %s yourself, or leave out --from", name, version, cudaVersion, version)
		}
	}
	return nil
}

// contents is the record of what is in the folder of libraries that were fetched.
type contents map[string]fetched

// fetched is what came out of a wheel.
type fetched struct {
	Wheel string            `json:"wheel"` // SHA-256
	Files map[string]string `json:"files"` // SHA-256 of each
}

const mostContents = 1 << 20

// fetchWheels brings the folder up to what the wheels hold, one after the other: an
// interrupted set-up goes on with the wheel that it was at. It returns the packages that
// were fetched.
func fetchWheels(ctx context.Context, folder string, opt Options, pl plan) ([]string, error) {
	record := contents{}
	data, err := files.ReadRegular(filepath.Join(folder, recordName), mostContents)
	if err != nil || json.Unmarshal(data, &record) != nil {
		record = contents{} // none that is of use: what it does not tell is fetched
	}
	missing := lists.Filter(pl.cuda.wheels, func(w wheel) bool { return !record.holds(folder, w) })
	if len(missing) == 0 {
		return nil, nil
	}
	if err := enoughSpace(filepath.Dir(folder), missing, pl.cuda.free); err != nil {
		return nil, err
	}
	download, keep := sizes(missing)
	if opt.Fetching != nil {
		opt.Fetching(human.Plural(len(missing), "package", "packages")+" of CUDA and cuDNN", download, keep)
	}
	var names []string
	var before int64
	for _, w := range missing {
		f, err := fetchWheel(ctx, folder, w, pl, meter(opt.Progress, before, download))
		if err != nil {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("ort: setup: %w", context.Cause(ctx))
			}
			return nil, fmt.Errorf("ort: setup: %s %s: %w\n%s", w.name, w.version, err, cudaByHand(missing))
		}
		record[w.name] = f
		if err := files.WriteJSONAtomic(filepath.Join(folder, recordName), record); err != nil {
			return nil, err
		}
		before += w.size
		names = append(names, w.name+" "+w.version)
	}
	return names, nil
}

// cudaByHand says what can be done where packages cannot be fetched.
func cudaByHand(missing []wheel) string {
	all := lists.Map(missing, func(w wheel) requirement { return w.requirement })
	return "what was fetched before it is kept: run the same command again to go on\n" +
		"or fetch all into a folder on another machine, with: pip " + strings.Join(pipArguments(all...), " ") + "\n" +
		"and let pip find them there, with: PIP_FIND_LINKS=FOLDER zoo setup --provider cuda --with-cuda"
}

// holds reports whether everything of a wheel is in the folder, bit for bit.
func (c contents) holds(folder string, w wheel) bool {
	f, ok := c[w.name]
	if !ok || f.Wheel != w.sha256 {
		return false
	}
	for _, name := range w.files {
		sum, err := fileSHA256(filepath.Join(folder, name))
		if err != nil || sum != f.Files[name] {
			return false
		}
	}
	return true
}

// enoughSpace wants room for the libraries, and twice more for the largest
// package: pip has a copy of its own while it works.
func enoughSpace(dir string, all []wheel, free func(string) (int64, error)) error {
	_, need := sizes(all)
	var largest int64
	for _, w := range all {
		largest = max(largest, w.size)
	}
	need += 2 * largest
	have, err := free(dir)
	if err != nil {
		return fmt.Errorf("ort: setup: free space of %s: %w", dir, err)
	}
	if have >= 0 && have < need {
		return fmt.Errorf("ort: setup: CUDA needs %d MB of free space in %s, there are %d; free some, or "+
			"have the per-user cache on another disk", need/1_000_000, dir, have/1_000_000)
	}
	return nil
}

// fetchWheel fetches one wheel and moves its libraries into the folder.
func fetchWheel(ctx context.Context, folder string, w wheel, pl plan, progress func(done int64)) (fetched, error) {
	stage, release, err := files.Stage(filepath.Dir(filepath.Dir(folder)), stagePrefix)
	if err != nil {
		return fetched{}, err
	}
	defer release()
	stop := watch(stage, w.size, progress)
	file, err := pl.cuda.fetch(ctx, stage, w)
	stop(err == nil)
	if err != nil {
		return fetched{}, err
	}
	sum, err := fileSHA256(file)
	if err != nil {
		return fetched{}, err
	}
	if sum != w.sha256 {
		return fetched{}, fmt.Errorf("sha256 of the package is %s, pinned is %s: refused", sum, w.sha256)
	}
	unpacked := filepath.Join(stage, "unpacked")
	if err := errors.Join(os.Mkdir(unpacked, 0o755), os.MkdirAll(folder, 0o755)); err != nil {
		return fetched{}, err
	}
	sums, err := unpack(file, unpacked, w.files, pl.limits)
	if err != nil {
		return fetched{}, err
	}
	for _, name := range w.files {
		if ctx.Err() != nil {
			return fetched{}, context.Cause(ctx)
		}
		if err := os.Rename(filepath.Join(unpacked, name), filepath.Join(folder, name)); err != nil {
			return fetched{}, err
		}
	}
	return fetched{Wheel: w.sha256, Files: sums}, nil
}

// unpack writes the files of those base names that a wheel holds into dir, and returns
// their hashes.
func unpack(wheel, dir string, names []string, most limits) (map[string]string, error) {
	f, err := os.Open(wheel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	if err := walkZip(f, info.Size(), most, func(base string) bool { return slices.Contains(names, base) }, func(entry string, content io.Reader) error {
		_, sum, err := writeCapped(filepath.Join(dir, path.Base(entry)), content, most.file)
		if err != nil {
			return fmt.Errorf("unpack %s: %w", entry, err)
		}
		sums[path.Base(entry)] = sum
		return nil
	}); err != nil {
		return nil, err
	}
	for _, name := range names {
		if sums[name] == "" {
			return nil, fmt.Errorf("%s holds no %s", filepath.Base(wheel), name)
		}
	}
	return sums, nil
}

// meter adds what was fetched before to the bytes of one package.
func meter(report func(done, total int64), before, total int64) func(int64) {
	if report == nil {
		return nil
	}
	return func(done int64) { report(before+done, total) }
}

// watch tells how much a client that reports nothing has written below a folder, until
// the function that it returns is called, with whether all is there.
func watch(dir string, most int64, report func(int64)) (stop func(complete bool)) {
	if report == nil {
		return func(bool) {}
	}
	ended := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(time.Second / 4)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				report(min(largestBelow(dir), most))
			}
		}
	})
	return func(complete bool) {
		close(ended)
		running.Wait()
		if complete {
			report(most)
		}
	}
}

// largestBelow is the size of the largest file below a folder.
func largestBelow(dir string) int64 {
	var largest int64
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil {
			return nil // it went while we looked
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			largest = max(largest, info.Size())
		}
		return nil
	})
	return largest
}
