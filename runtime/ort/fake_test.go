package ort

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// This file makes the stand-ins for libraries and archives.

const testPlatform platform = "linux-amd64"

// fakeLibrary has the headers of a shared library for linux and the given ELF
// machine, with one segment, and a body that tells it from others.
func fakeLibrary(machine uint16, body string) []byte {
	var out bytes.Buffer
	header := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_DYN), Machine: machine, Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1,
	}
	segment := elf.Prog64{Type: uint32(elf.PT_LOAD), Filesz: uint64(64 + 56 + len(body))}
	for _, part := range []any{header, segment, []byte(body)} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			panic(err)
		}
	}
	return out.Bytes()
}

const (
	machineAMD64 = 62
	machineARM64 = 183
)

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

func write(t testing.TB, data []byte, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644)); err != nil {
		t.Fatal(err)
	}
	return name
}

// files lists the regular files under dir.
func files(t testing.TB, dir string) []string {
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
