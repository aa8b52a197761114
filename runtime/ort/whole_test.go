package ort

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTruncatedLibrary: a library that ends too early is found out before it is
// loaded, at whatever byte it ends.
func TestTruncatedLibrary(t *testing.T) {
	emptyCache(t)
	whole := hostLibrary(t)
	path := filepath.Join(t.TempDir(), "libonnxruntime.so")
	for size := len(whole) - 1; size > 0; size-- {
		write(t, whole[:size], path)
		_, err := Find(path)
		wantError(t, err, path, "zoo setup")
	}
	write(t, whole[:len(whole)-1], path)
	_, err := Find(path)
	wantError(t, err, "is cut short")
	write(t, append(whole, "a signature, say"...), path)
	if _, err := Find(path); err != nil {
		t.Errorf("more than the headers describe: %v", err)
	}
}

// TestTruncatedRealLibrary does it with the first part of the installed one, whose
// headers are real.
func TestTruncatedRealLibrary(t *testing.T) {
	lib, err := Find("")
	if err != nil {
		t.Skip("there is no ONNX Runtime library here")
	}
	f, err := os.Open(lib.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Find(write(t, start, t.TempDir(), filepath.Base(lib.Path)))
	wantError(t, err, "is cut short", "zoo setup")
}

func TestCheckWholeMachO(t *testing.T) {
	const headers, body = 32 + 72, 100
	var b bytes.Buffer
	file := macho.FileHeader{Magic: macho.Magic64, Cpu: macho.CpuArm64, Type: macho.TypeDylib, Ncmd: 1, Cmdsz: 72}
	segment := macho.Segment64{Cmd: macho.LoadCmdSegment64, Len: 72, Filesz: headers + body}
	for _, part := range []any{file, uint32(0), segment, make([]byte, body)} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	checkEnds(t, b.Bytes(), "darwin-arm64")
}

func TestCheckWholePE(t *testing.T) {
	b := make([]byte, 0x98+40)
	copy(b, "MZ")
	b[0x3c] = 0x80
	copy(b[0x80:], "PE\x00\x00")
	binary.LittleEndian.PutUint16(b[0x84:], 0x8664)
	binary.LittleEndian.PutUint16(b[0x86:], 1) // sections
	binary.LittleEndian.PutUint16(b[0x96:], 0x2022)
	binary.LittleEndian.PutUint32(b[0x98+16:], 100) // bytes of the section
	binary.LittleEndian.PutUint32(b[0x98+20:], uint32(len(b)))
	checkEnds(t, append(b, make([]byte, 100)...), "windows-amd64")
}

func checkEnds(t *testing.T, whole []byte, p platform) {
	t.Helper()
	if got := filePlatform(whole); got != p {
		t.Fatalf("the test's file is for %q", got)
	}
	if err := checkWhole(bytes.NewReader(whole), int64(len(whole)), p); err != nil {
		t.Errorf("the whole file: %v", err)
	}
	for size := range whole {
		if checkWhole(bytes.NewReader(whole[:size]), int64(size), p) == nil {
			t.Errorf("%d of %d bytes pass", size, len(whole))
		}
	}
}

// TestSetupRefusesTruncatedLibraries: neither the library nor a provider comes into
// the cache.
func TestSetupRefusesTruncatedLibraries(t *testing.T) {
	lib := fakeLibrary(machineAMD64, "whole")
	for cut, members := range map[string][]member{
		"core":     {{"libonnxruntime.so", lib[:len(lib)-2]}, {"libonnxruntime_providers_cuda.so", lib}, {"libonnxruntime_providers_shared.so", lib}},
		"provider": {{"libonnxruntime.so", lib}, {"libonnxruntime_providers_cuda.so", lib[:len(lib)-2]}, {"libonnxruntime_providers_shared.so", lib}},
	} {
		cache := t.TempDir()
		from := write(t, tgz(t, members...), t.TempDir(), "a.tgz")
		_, err := setup(t.Context(), SetupOptions{From: from, CacheDir: cache, Provider: "cuda"}, plan{testPlatform, nil, nil, defaultLimits()})
		if err == nil || !strings.Contains(err.Error(), "is cut short") {
			t.Errorf("%s: %v", cut, err)
		}
		if left := files(t, cache); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}
