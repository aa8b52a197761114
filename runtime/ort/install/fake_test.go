package install

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/ort/library"
)

// This file makes the stand-ins for archives.

const testPlatform library.Platform = "linux-amd64"

type member struct {
	name string
	data []byte
}

func tgz(t testing.TB, members ...member) []byte {
	t.Helper()
	var buf bytes.Buffer
	gz := gzip.NewWriter(&buf)
	tw := tar.NewWriter(gz)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: 0o755, Size: int64(len(m.data)), Typeflag: tar.TypeReg}
		if m.data == nil {
			h.Typeflag, h.Linkname = tar.TypeSymlink, "elsewhere"
		}
		if err := errors.Join(tw.WriteHeader(h), second(tw.Write(m.data))); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(tw.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func second(_ int, err error) error { return err }

func zipped(t testing.TB, members ...member) []byte {
	t.Helper()
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, m := range members {
		w, err := zw.Create(m.name)
		if err == nil {
			_, err = w.Write(m.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// filesBelow lists the regular files under dir.
func filesBelow(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(dir, p)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// testCUDA is a set-up of CUDA's libraries on a machine that has none, and no packages
// to fetch.
func testCUDA() cudaPlan {
	return cudaPlan{
		free:     func(string) (int64, error) { return 1 << 40, nil },
		lookPath: func(name string) (string, error) { return "", &exec.Error{Name: name, Err: exec.ErrNotFound} },
		open:     func(ort.Library) (ort.CUDA, error) { return ort.CUDA{}, nil },
	}
}
