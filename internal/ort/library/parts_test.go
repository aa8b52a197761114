package library

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"testing"

	"github.com/nopezoo/zoo/internal/ort/library/librarytest"
)

func TestCheckWholeMachO(t *testing.T) {
	const headers, body = 32 + 72 + 24, 100
	var b bytes.Buffer
	file := macho.FileHeader{Magic: macho.Magic64, Cpu: macho.CpuArm64, Type: macho.TypeDylib, Ncmd: 2, Cmdsz: 72 + 24}
	segment := macho.Segment64{Cmd: macho.LoadCmdSegment64, Len: 72, Filesz: headers + body}
	for _, part := range []any{file, uint32(0), segment, [6]uint32{0xd, 24, 0, 0, 1<<16 | 29<<8 | 3},
		make([]byte, body)} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	checkEnds(t, b.Bytes(), "darwin-arm64")
	path := librarytest.Write(t, b.Bytes(), t.TempDir(), "libonnxruntime.dylib")
	if got := VersionOf(path, "darwin-arm64"); got != "1.29.3" {
		t.Errorf("its version is %q", got)
	}
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

func checkEnds(t *testing.T, whole []byte, p Platform) {
	t.Helper()
	if got := PlatformOf(whole); got != p {
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

func TestOlderThan(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"1.17.1", "1.29.0", true}, {"1.29.0", "1.29.0", false}, {"1.30", "1.29.0", false},
		{"1.9.0", "1.29.0", true}, {"2.0.0", "1.29.0", false}, {"1.29", "1.29.0", false}, {"1.29", "1.29.1", true},
	} {
		if got := olderThan(tt.a, tt.b); got != tt.want {
			t.Errorf("olderThan(%s, %s) is %v", tt.a, tt.b, got)
		}
	}
}

func TestPlatformOf(t *testing.T) {
	macho := func(cpu, kind uint32) []byte {
		var b []byte
		for _, v := range []uint32{0xfeedfacf, cpu, 0, kind} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	pe := func(machine, flags uint16) []byte {
		b := make([]byte, 0x98)
		copy(b, "MZ")
		b[0x3c] = 0x80
		copy(b[0x80:], "PE\x00\x00")
		binary.LittleEndian.PutUint16(b[0x84:], machine)
		binary.LittleEndian.PutUint16(b[0x96:], flags)
		return b
	}
	elfProgram := librarytest.Fake(62, "")
	elfProgram[16] = 2
	for _, tt := range []struct {
		name string
		head []byte
		want Platform
	}{
		{"elf amd64", librarytest.Fake(62, ""), "linux-amd64"},
		{"elf arm64", librarytest.Fake(183, ""), "linux-arm64"},
		{"elf of another machine", librarytest.Fake(243, ""), ""},
		{"elf program", elfProgram, ""},
		{"elf cut short", librarytest.Fake(62, "")[:18], ""},
		{"mach-o", macho(0x0100000c, 6), "darwin-arm64"},
		{"mach-o debug symbols", macho(0x0100000c, 10), ""},
		{"pe", pe(0x8664, 0x2022), "windows-amd64"},
		{"pe arm64", pe(0xaa64, 0x2022), "windows-arm64"},
		{"pe program", pe(0x8664, 0x22), ""},
		{"pe cut short", pe(0x8664, 0x2022)[:0x90], ""},
		{"empty", nil, ""},
	} {
		if got := PlatformOf(tt.head); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
