package hf

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

const leafUnit = 1 << 8

// table is a precompiled_charsmap.
func table(trie []uint32, forms string) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(4*len(trie)))
	for _, unit := range trie {
		out = binary.LittleEndian.AppendUint32(out, unit)
	}
	return append(out, forms...)
}

// charsmap returns the part Precompiled with one normal form, of a character.
func charsmap(of byte, form string) string {
	trie := make([]uint32, 512)                // the root's children are at their bytes
	trie[of] = uint32(of) | leafUnit | 256<<10 // and the value of one at its place with 256 exclusive-or: the form is the first
	return `{"type":"Precompiled","precompiled_charsmap":"` + base64.StdEncoding.EncodeToString(table(trie, form+"\x00")) + `"}`
}

func tableOf(part string) []byte {
	data, err := base64.StdEncoding.DecodeString(strings.Split(part, `"`)[7])
	if err != nil {
		panic(err)
	}
	return data
}

// TestReadPrecompiled: the sizes of a table are as they say.
func TestReadPrecompiled(t *testing.T) {
	for name, tc := range map[string]struct{ table, want string }{
		"none":       {"", "is missing or cut off"},
		"cut off":    {"\x04\x00\x00\x00abc", "is missing or cut off"},
		"least":      {"\x04\x00\x00\x00abcd", ""},
		"forms":      {"\x04\x00\x00\x00abcdé\x00", ""},
		"no trie":    {"\x00\x00\x00\x00abcd", "a trie of 0 bytes in 4"},
		"odd":        {"\x05\x00\x00\x00abcde", "a trie of 5 bytes in 5"},
		"too long":   {"\x08\x00\x00\x00abcd", "a trie of 8 bytes in 4"},
		"form":       {"\x04\x00\x00\x00abcd\xff", "are not valid UTF-8"},
		"longest":    {"\x04\x00\x00\x00abcd" + strings.Repeat("a", 1024) + "\x00", ""},
		"too long a": {"\x04\x00\x00\x00abcdb\x00" + strings.Repeat("a", 1025), "a normal form of 1025 bytes; want at most 1024"},
	} {
		if _, err := readPrecompiled([]byte(tc.table)); (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// TestFormsOfDamagedTries: an offset within a character, or behind the forms, is none.
func TestFormsOfDamagedTries(t *testing.T) {
	data := tableOf(charsmap('a', "éb"))
	for at, want := range map[uint32]string{0: "éb", 1: "a", 2: "b", 3: "", 4: "a", 5: "a", 1 << 30: "a", 1<<31 | 2: "b"} {
		data := bytes.Clone(data)
		binary.LittleEndian.PutUint32(data[4+4*('a'^256):], at)
		if got := normalized(t, data, "a"); got != want {
			t.Errorf("%d: %q, want %q", at, got, want)
		}
	}
}

func normalized(t *testing.T, table []byte, text string) string {
	t.Helper()
	p, err := readPrecompiled(table)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.normalize(newWalk(t.Context(), 100), text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTries: a place behind the trie is none, and neither is one of another character.
func TestTries(t *testing.T) {
	trie := func(n int, units map[int]uint32) []byte {
		out := make([]uint32, n)
		for at, unit := range units {
			out[at] = unit
		}
		return table(out, "form\x00")
	}
	const a = 'a'
	for name, tc := range map[string]struct {
		table      []byte
		text, want string
	}{
		"found":                     {trie(512, map[int]uint32{a: a | leafUnit | 256<<10}), "a", "form"},
		"at the end of the trie":    {trie(a^3+1, map[int]uint32{a: a | leafUnit | 3<<10}), "a", "form"},
		"child behind the trie":     {trie(a, nil), "a", "a"},
		"value behind the trie":     {trie(a+1, map[int]uint32{a: a | leafUnit | 3<<10}), "a", "a"},
		"other character":           {trie(512, map[int]uint32{a: 'b' | leafUnit | 256<<10}), "a", "a"},
		"label with the upper bit":  {trie(512, map[int]uint32{a: a | leafUnit | 256<<10 | 1<<31}), "a", "a"},
		"no leaf":                   {trie(512, map[int]uint32{a: a | 256<<10}), "a", "a"},
		"two characters":            {trie(1024, map[int]uint32{a: a | 256<<10, a ^ 256 ^ 0xc3: 0xc3 | 512<<10}), "aé", "aé"},
		"far":                       {trie(1024, map[int]uint32{a: a | leafUnit | 1<<9 | 2<<10, a ^ 512: 2}), "a", "rm"},
		"root further":              {trie(512, map[int]uint32{0: 256 << 10, a ^ 256: a | leafUnit | 4<<10, a ^ 256 ^ 4: 1}), "a", "orm"},
		"the character of number 0": {trie(512, map[int]uint32{0: leafUnit}), "\x00", "\x00"},
		"number 0 with a leaf":      {trie(512, map[int]uint32{0: leafUnit | 256<<10, 256: leafUnit | 256<<10}), "\x00", "\x00"},
		"number 1":                  {trie(512, map[int]uint32{1: 1 | leafUnit | 256<<10}), "\x01", "form"},
		"beginning of a cluster":    {trie(512, map[int]uint32{'e': 'e' | leafUnit | 256<<10}), "e\u0301\u0301", "form"},
		"of a longer cluster":       {trie(512, map[int]uint32{'e': 'e' | leafUnit | 256<<10}), "e\u0301\u0301\u0301", "form\u0301\u0301\u0301"},
	} {
		if got := normalized(t, tc.table, tc.text); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	// A form is bounded by what is added to the characters before it, too.
	p, err := readPrecompiled(tableOf(charsmap('a', strings.Repeat("b", 100))))
	if err != nil {
		t.Fatal(err)
	}
	for n, fits := range map[int]bool{10: true, 11: false} { // 63 and 1,024 bytes may be added to one
		if text, err := p.normalize(newWalk(t.Context(), 1), strings.Repeat("a", n)+"cé"); (err == nil) != fits || fits && len(text) != 100*n+3 {
			t.Errorf("%s: %d bytes, %v", fmt.Sprint(n), len(text), err)
		}
	}
}
