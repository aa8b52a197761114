package library

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/nopezoo/zoo/internal/files"
)

// VersionOf reads the ONNX Runtime version out of a library file without loading
// it: from the ELF version definition VERS_x.y.z, the Mach-O library identity or the
// Windows version resource. It returns "" when there is none.
func VersionOf(path string, p Platform) string {
	if p.OS() == "windows" {
		return peVersion(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if p.OS() == "darwin" || p.OS() == "ios" {
		return machoVersion(f)
	}
	return elfVersion(f)
}

// The tags of an ELF file's dynamic section that lead to the version definitions.
const (
	dynamicStrings     = 5
	dynamicVersions    = 0x6ffffffc
	dynamicVersionsNum = 0x6ffffffd
	mostVersions       = 1 << 10
)

func elfVersion(f io.ReaderAt) string {
	all, err := elfParts(f)
	if err != nil {
		return ""
	}
	entries, err := dynamicSection(f, all)
	if err != nil {
		return ""
	}
	tags := map[uint64]uint64{}
	for _, e := range entries {
		tags[e.tag] = e.value
	}
	// Addresses, until the parts that are loaded there tell where they lie.
	at, names := inFile(all, tags[dynamicVersions]), inFile(all, tags[dynamicStrings])
	for range min(tags[dynamicVersionsNum], mostVersions) {
		definition, err := bytesAt(f, at, 20) // version, flags, index, count: 2 bytes each; hash, aux, next: 4
		if err != nil {
			return ""
		}
		aux, err := bytesAt(f, at+uint64(le.Uint32(definition[12:])), 4)
		if err != nil {
			return ""
		}
		name := textAt(f, names+uint64(le.Uint32(aux)))
		if v, ok := strings.CutPrefix(name, "VERS_"); ok {
			return v
		}
		at += uint64(le.Uint32(definition[16:]))
	}
	return ""
}

// inFile returns where in the file lies what is loaded at an address.
func inFile(all []part, address uint64) uint64 {
	for _, p := range all {
		if p.kind == loaded && address >= p.address && address-p.address < p.size {
			return p.offset + address - p.address
		}
	}
	return 0
}

func machoVersion(f io.ReaderAt) string {
	commands, err := machoCommands(f)
	if err != nil {
		return ""
	}
	for _, c := range commands {
		// cmd, size, name, timestamp, current version: see <mach-o/loader.h>
		if le.Uint32(c) == machoIdentity && len(c) >= 20 {
			v := le.Uint32(c[16:])
			return fmt.Sprintf("%d.%d.%d", v>>16, v>>8&0xff, v&0xff)
		}
	}
	return ""
}

func peVersion(path string) string {
	const maxDLL = 1 << 30
	data, err := files.ReadRegular(path, maxDLL)
	if err != nil {
		return ""
	}
	// VS_FIXEDFILEINFO: signature 0xFEEF04BD, structure version 1.0, then the
	// file version as two 32-bit words.
	i := bytes.Index(data, []byte("\xbd\x04\xef\xfe\x00\x00\x01\x00"))
	if i < 0 || i+16 > len(data) {
		return ""
	}
	ms, ls := binary.LittleEndian.Uint32(data[i+8:]), binary.LittleEndian.Uint32(data[i+12:])
	return fmt.Sprintf("%d.%d.%d", ms>>16, ms&0xffff, ls>>16)
}
