// Package librarytest makes stand-ins for ONNX Runtime's library, for tests.
package librarytest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Machines, as ELF files name them.
const (
	AMD64 = uint16(elf.EM_X86_64)
	ARM64 = uint16(elf.EM_AARCH64)
)

// Fake has the headers of a shared library for linux and the given ELF machine,
// with one segment, and a body that tells it from others.
func Fake(machine uint16, body string) []byte {
	return written(machine, 1, elf.Prog64{Type: uint32(elf.PT_LOAD), Filesz: uint64(64 + 56 + len(body))}, []byte(body))
}

// written is a library: its header, for so many segments, and what follows.
func written(machine, segments uint16, parts ...any) []byte {
	header := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB),
			byte(elf.EV_CURRENT)},
		Type: uint16(elf.ET_DYN), Machine: machine, Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: segments,
	}
	var out bytes.Buffer
	for _, part := range append([]any{header}, parts...) {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			panic(err)
		}
	}
	return out.Bytes()
}

// Host looks like a library of this machine. Where Fake can make none, it skips the
// test.
func Host(t testing.TB) []byte {
	switch runtime.GOOS + "-" + runtime.GOARCH {
	case "linux-amd64":
		return Fake(AMD64, "host")
	case "linux-arm64":
		return Fake(ARM64, "host")
	}
	t.Skip("the stand-in library is for Linux")
	return nil
}

// Write writes a file, with the folders that it lies in, and returns its path.
func Write(t testing.TB, data []byte, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644)); err != nil {
		t.Fatal(err)
	}
	return name
}

// Needing looks like Fake, and like one that the loader can only load with other
// libraries, of those names.
func Needing(machine uint16, names ...string) []byte {
	const headers = 64 + 2*56
	text, entries := []byte{0}, []elf.Dyn64{}
	for _, name := range names {
		entries = append(entries, elf.Dyn64{Tag: int64(elf.DT_NEEDED), Val: uint64(len(text))})
		text = append(append(text, name...), 0)
	}
	// What is loaded lies elsewhere in memory than in the file.
	const moved = 0x1000
	dynamic := uint64(headers + len(text))
	entries = append(entries, elf.Dyn64{Tag: int64(elf.DT_STRTAB), Val: moved + headers}, elf.Dyn64{})
	size := dynamic + uint64(16*len(entries))
	load := elf.Prog64{Type: uint32(elf.PT_LOAD), Filesz: size, Vaddr: moved}
	section := elf.Prog64{Type: uint32(elf.PT_DYNAMIC), Off: dynamic, Filesz: size - dynamic, Vaddr: moved + dynamic}
	return written(machine, 2, load, section, text, entries)
}
