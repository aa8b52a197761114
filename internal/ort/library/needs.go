package library

import (
	"bytes"
	"io"
	"os"

	"github.com/nopezoo/zoo/internal/wrap"
)

const (
	dynamicNeeded = 1 // DT_NEEDED: the offset of a name
	mostNeeds     = 1 << 10
)

// Needs lists the names of the libraries that the system's loader must find before
// it can load this one, in the file's own order: DT_NEEDED of an ELF file, the import
// table of a Windows one. It knows no others.
func Needs(path string, p Platform) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var names []string
	if p.OS() == "windows" {
		names, err = peNeeds(f)
	} else {
		names, err = elfNeeds(f)
	}
	return wrap.Value(names, err, "%s: what it needs cannot be read", path)
}

func elfNeeds(f io.ReaderAt) ([]string, error) {
	all, err := elfParts(f)
	if err != nil {
		return nil, err
	}
	entries, err := dynamicSection(f, all)
	if err != nil {
		return nil, err
	}
	var strings uint64
	for _, e := range entries {
		if e.tag == dynamicStrings {
			strings = inFile(all, e.value)
		}
	}
	var names []string
	for _, e := range entries {
		if e.tag == dynamicNeeded && len(names) < mostNeeds {
			names = append(names, textAt(f, strings+e.value))
		}
	}
	return names, nil
}

// dynamicEntry is an entry of an ELF file's dynamic section.
type dynamicEntry struct{ tag, value uint64 }

func dynamicSection(f io.ReaderAt, all []part) ([]dynamicEntry, error) {
	var entries []dynamicEntry
	for _, p := range all {
		if p.kind != elfDynamic {
			continue
		}
		data, err := bytesAt(f, p.offset, p.size)
		if err != nil {
			return nil, err
		}
		for ; len(data) >= 16; data = data[16:] {
			entries = append(entries, dynamicEntry{le.Uint64(data), le.Uint64(data[8:])})
		}
	}
	return entries, nil
}

// peNeeds reads the import table: descriptors of 20 bytes, the name's address at
// 12, and after them one of zeros.
func peNeeds(f io.ReaderAt) ([]string, error) {
	all, err := peParts(f)
	if err != nil {
		return nil, err
	}
	head, err := bytesAt(f, 0, 64)
	if err != nil {
		return nil, err
	}
	// The optional header of a 64-bit library has its table of directories at 112;
	// the second is the import table.
	const signatureAndHeader, importDirectory = 24, 112 + 8
	directory, err := bytesAt(f, uint64(le.Uint32(head[0x3c:]))+signatureAndHeader+importDirectory, 4)
	if err != nil {
		return nil, err
	}
	var names []string
	if le.Uint32(directory) == 0 {
		return nil, nil
	}
	for at := inFile(all, uint64(le.Uint32(directory))); len(names) < mostNeeds; at += 20 {
		descriptor, err := bytesAt(f, at, 20)
		if err != nil {
			return nil, err
		}
		name := uint64(le.Uint32(descriptor[12:]))
		if name == 0 {
			break
		}
		names = append(names, textAt(f, inFile(all, name)))
	}
	return names, nil
}

// textAt reads a string that ends with a zero.
func textAt(f io.ReaderAt, at uint64) string {
	text := make([]byte, 256)
	n, _ := f.ReadAt(text, int64(at))
	text, _, _ = bytes.Cut(text[:n], []byte{0})
	return string(text)
}
