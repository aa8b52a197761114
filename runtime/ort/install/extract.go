package install

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/ort/library"
)

// limits bound what an archive may make us write or unpack.
type limits struct {
	file    int64 // bytes of one library
	total   int64 // bytes of the whole archive, packed or unpacked
	entries int
}

func defaultLimits() limits { return limits{file: 2 << 30, total: 8 << 30, entries: 50_000} }

// extractor collects the library for one platform, and with it the execution
// providers when wanted, into a folder. Where a file comes to lie depends on
// its base name alone, so no entry can leave the folder.
type extractor struct {
	dir       string
	platform  library.Platform
	providers bool
	limits    limits

	core      string // path of the core library in dir, once found
	sha256    string // of core
	others    []string
	otherSums []string // SHA-256 of each
	written   int64
	cuda      bool // a CUDA provider is in the archive
}

var errTooBig = errors.New("unpacks to more than the limit")

// take takes the library from a folder; from a .tgz (release archive, npm package) or
// .zip (release archive, Python wheel), told by their first bytes; or from the library
// itself, for which the folder that it is in also does where there are providers next to it.
func (x *extractor) take(name string, info fs.FileInfo) error {
	if info.IsDir() {
		return x.folder(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, library.HeaderSize)
	n, _ := f.ReadAt(head, 0)
	switch head = head[:n]; {
	case bytes.HasPrefix(head, gzipMagic):
		err = walkTGZ(f, x.limits, x.entry)
	case bytes.HasPrefix(head, zipMagic):
		err = walkZip(f, info.Size(), x.limits, x.wanted, x.entry)
	case library.PlatformOf(head) == "":
		return fmt.Errorf("%s is neither an archive nor a library: it holds no ONNX Runtime library for %s", name, x.platform)
	case x.providers:
		return x.folder(filepath.Dir(name))
	default:
		err = x.entry(x.platform.Names()[0], f)
	}
	switch {
	case damaged(err):
		return fmt.Errorf("unpack %s: %w; it is damaged, or was not fetched to its end: fetch it again",
			filepath.Base(name), err)
	case err != nil:
		return fmt.Errorf("unpack %s: %w", filepath.Base(name), err)
	}
	return x.complete(filepath.Base(name))
}

// damaged reports whether an error is about an archive whose bytes are not what was packed.
func damaged(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt) || slices.ContainsFunc([]error{io.ErrUnexpectedEOF, zip.ErrFormat, zip.ErrChecksum,
		gzip.ErrHeader, gzip.ErrChecksum, tar.ErrHeader}, func(e error) bool { return errors.Is(err, e) })
}

var gzipMagic, zipMagic = []byte("\x1f\x8b"), []byte("PK\x03\x04")

// walkTGZ shows the regular files of a .tgz.
func walkTGZ(f io.Reader, most limits, see func(name string, content io.Reader) error) error {
	gz, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	tr := tar.NewReader(&cappedReader{gz, most.total})
	for n := 0; ; n++ {
		h, err := tr.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if n >= most.entries {
			return fmt.Errorf("more than %d entries", most.entries)
		}
		if h.Typeflag != tar.TypeReg {
			continue // links among the library's names: the regular file is enough
		}
		if err := see(h.Name, tr); err != nil {
			return err
		}
	}
}

// walkZip shows the regular files of a .zip whose base names are wanted.
func walkZip(f io.ReaderAt, size int64, most limits, wanted func(base string) bool, see func(name string, content io.Reader) error) error {
	zr, err := zip.NewReader(f, size)
	if err != nil {
		return err
	}
	if len(zr.File) > most.entries {
		return fmt.Errorf("more than %d entries", most.entries)
	}
	for _, e := range zr.File {
		if !e.Mode().IsRegular() || !wanted(path.Base(e.Name)) {
			continue
		}
		r, err := e.Open()
		if err != nil {
			return err
		}
		err = see(e.Name, r)
		r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// folder takes the library from a folder or its lib folder.
func (x *extractor) folder(dir string) error {
	for _, sub := range []string{dir, filepath.Join(dir, "lib")} {
		list, err := os.ReadDir(sub)
		if err != nil {
			continue
		}
		for _, e := range list {
			if !x.wanted(e.Name()) {
				continue
			}
			f, err := os.Open(filepath.Join(sub, e.Name())) // also at the end of a link: the caller named the place
			if err != nil {
				return err
			}
			err = x.entry(e.Name(), f)
			f.Close()
			if err != nil {
				return err
			}
		}
		if x.core != "" {
			break
		}
	}
	x.cuda = false // a folder may hold both builds: the caller named it
	return x.complete(dir)
}

// wanted reports whether a file may be the library, or a part of the provider, and notes a CUDA provider.
func (x *extractor) wanted(base string) bool {
	x.cuda = x.cuda || library.IsProvider(base) && strings.Contains(base, cudaParts[0])
	return library.IsCore(base) && x.core == "" || x.providers && isCUDAPart(base)
}

// cudaParts are in the names of the libraries that the CUDA provider consists of.
var cudaParts = []string{"onnxruntime_providers_cuda", "onnxruntime_providers_shared"}

func isCUDAPart(base string) bool {
	in := func(part string) bool { return strings.Contains(base, part) }
	return library.IsProvider(base) && slices.ContainsFunc(cudaParts, in)
}

// entry writes the content when it is a library we want for this platform.
func (x *extractor) entry(name string, r io.Reader) error {
	if strings.Contains(name, "\\") || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("entry %q points outside the archive", name)
	}
	base := path.Base(name)
	if !x.wanted(base) {
		return nil
	}
	br := bufio.NewReaderSize(r, library.HeaderSize)
	head, err := br.Peek(library.HeaderSize)
	if err != nil && err != io.EOF {
		return err
	}
	if library.PlatformOf(head) != x.platform {
		return nil
	}
	isCore := library.IsCore(base)
	if isCore {
		base = x.platform.Names()[0]
	}
	out := filepath.Join(x.dir, base)
	n, sum, err := writeCapped(out, br, min(x.limits.file, x.limits.total-x.written))
	if err != nil {
		return fmt.Errorf("entry %q: %w", name, err)
	}
	x.written += n
	if isCore {
		x.core, x.sha256 = out, sum
	} else {
		x.others, x.otherSums = append(x.others, out), append(x.otherSums, sum)
	}
	return nil
}

// complete reports what is missing after everything was looked at.
func (x *extractor) complete(from string) error {
	if x.core == "" {
		return fmt.Errorf("%s holds no ONNX Runtime library for %s", from, x.platform)
	}
	switch {
	case !x.providers && x.cuda: // such a core library has no WebGPU
		return fmt.Errorf("%s is a CUDA build, which does not stand in for the other; install it beside that, "+
			"with --provider cuda", from)
	case !x.providers:
		return nil
	}
	for _, need := range cudaParts {
		if !slices.ContainsFunc(x.others, func(o string) bool { return strings.Contains(filepath.Base(o), need) }) {
			return fmt.Errorf("%s holds no %s library for %s: it is not a CUDA build", from, need, x.platform)
		}
	}
	return nil
}

// writeCapped writes a new file of at most limit bytes, syncs it to disk and
// returns its size and SHA-256.
func writeCapped(name string, r io.Reader, limit int64) (int64, string, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h), io.LimitReader(r, limit+1))
	if err != nil {
		return 0, "", err
	}
	if n > limit {
		return 0, "", fmt.Errorf("%w of %d bytes", errTooBig, limit)
	}
	if err := f.Sync(); err != nil {
		return 0, "", err
	}
	return n, hex.EncodeToString(h.Sum(nil)), f.Close()
}

// cappedReader fails once more than left bytes were read.
type cappedReader struct {
	r    io.Reader
	left int64
}

func (c *cappedReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	if c.left -= int64(n); c.left < 0 {
		return 0, errTooBig
	}
	return n, err
}

func fileSHA256(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
