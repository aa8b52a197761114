package library

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// The headers of libraries are read here and not with the standard library's debug
// packages, which bring decompression and DWARF into every program that embeds zoo.

var le = binary.LittleEndian

const (
	elfShared  = 3 // ET_DYN
	elfDynamic = 2 // PT_DYNAMIC
	loaded     = 1 // PT_LOAD

	machoMagic    = 0xfeedfacf
	machoShared   = 6    // MH_DYLIB
	machoSegment  = 0x19 // LC_SEGMENT_64
	machoIdentity = 0xd  // LC_ID_DYLIB

	mostHeader = 1 << 24 // bytes of one table of headers
)

// part is a piece of a library file that its headers describe.
type part struct {
	kind                  uint32 // of an ELF program header; loaded for a section of a Windows library
	offset, size, address uint64 // address: where it is loaded
}

// checkWhole reports a library file of so many bytes that ends before what its
// headers describe does. Loading one would kill the process: the loader maps the
// whole of it, and reading beyond a file's end is a bus error.
func checkWhole(f io.ReaderAt, size int64, p Platform) error {
	all, err := partsOf(f, p)
	if err != nil {
		return fmt.Errorf("cut short or damaged: %w", err)
	}
	for _, part := range all {
		end := part.offset + part.size
		if end < part.offset {
			return errors.New("damaged: a part of it ends before it begins")
		}
		if end > uint64(size) {
			return fmt.Errorf("cut short: it has %d bytes of the %d that its headers describe", size, end)
		}
	}
	return nil
}

func partsOf(f io.ReaderAt, p Platform) ([]part, error) {
	switch p.OS() {
	case "windows":
		return peParts(f)
	case "darwin", "ios":
		commands, err := machoCommands(f)
		var all []part
		for _, c := range commands {
			if le.Uint32(c) == machoSegment && len(c) >= 72 {
				all = append(all, part{address: le.Uint64(c[24:]), offset: le.Uint64(c[40:]), size: le.Uint64(c[48:])})
			}
		}
		return all, err
	default:
		return elfParts(f)
	}
}

// elfParts lists the segments of an ELF file, and its table of sections.
func elfParts(f io.ReaderAt) ([]part, error) {
	head, err := bytesAt(f, 0, 64)
	if err != nil {
		return nil, err
	}
	width, count := uint64(le.Uint16(head[54:])), uint64(le.Uint16(head[56:]))
	if width < 56 {
		return nil, fmt.Errorf("program headers of %d bytes", width)
	}
	table, err := bytesAt(f, le.Uint64(head[32:]), width*count)
	if err != nil {
		return nil, err
	}
	all := []part{{offset: le.Uint64(head[40:]), size: uint64(le.Uint16(head[58:])) * uint64(le.Uint16(head[60:]))}}
	for ; len(table) > 0; table = table[width:] {
		all = append(all, part{le.Uint32(table), le.Uint64(table[8:]), le.Uint64(table[32:]), le.Uint64(table[16:])})
	}
	return all, nil
}

// machoCommands lists the load commands of a Mach-O file.
func machoCommands(f io.ReaderAt) ([][]byte, error) {
	head, err := bytesAt(f, 0, 32)
	if err != nil {
		return nil, err
	}
	data, err := bytesAt(f, 32, uint64(le.Uint32(head[20:])))
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for range le.Uint32(head[16:]) {
		if len(data) < 8 || le.Uint32(data[4:]) < 8 || uint64(le.Uint32(data[4:])) > uint64(len(data)) {
			return nil, errors.New("a load command is incomplete")
		}
		n := le.Uint32(data[4:])
		all, data = append(all, data[:n]), data[n:]
	}
	return all, nil
}

// peParts lists the sections of a Windows library.
func peParts(f io.ReaderAt) ([]part, error) {
	head, err := bytesAt(f, 0, 64)
	if err != nil {
		return nil, err
	}
	at := uint64(le.Uint32(head[0x3c:]))
	if head, err = bytesAt(f, at, 24); err != nil {
		return nil, err
	}
	table, err := bytesAt(f, at+24+uint64(le.Uint16(head[20:])), 40*uint64(le.Uint16(head[6:])))
	if err != nil {
		return nil, err
	}
	var all []part
	for ; len(table) > 0; table = table[40:] {
		all = append(all, part{kind: loaded, offset: uint64(le.Uint32(table[20:])),
			size: uint64(le.Uint32(table[16:])), address: uint64(le.Uint32(table[12:]))})
	}
	return all, nil
}

// bytesAt reads a table of headers.
func bytesAt(f io.ReaderAt, offset, size uint64) ([]byte, error) {
	if size > mostHeader {
		return nil, fmt.Errorf("a table of %d bytes", size)
	}
	data := make([]byte, size)
	if n, err := f.ReadAt(data, int64(offset)); uint64(n) < size {
		return nil, err
	}
	return data, nil
}

// CheckProviders reports an execution provider in a folder that ends before what its
// headers describe does.
func CheckProviders(dir string, p Platform) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if !IsProvider(e.Name()) {
			continue
		}
		if err := checkProvider(filepath.Join(dir, e.Name()), p); err != nil {
			return err
		}
	}
	return nil
}

func checkProvider(path string, p Platform) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := checkWhole(f, info.Size(), p); err != nil {
		return fmt.Errorf("%s is %w", path, err)
	}
	return nil
}
