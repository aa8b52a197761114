package hf

import "testing"

// TestChinese: the ends of the blocks that are words of their own.
func TestChinese(t *testing.T) {
	for r, want := range map[rune]bool{
		0x33ff: false, 0x3400: true, 0x4dbf: true, 0x4dc0: false, 0x4dff: false, 0x4e00: true, 0x9fff: true, 0xa000: false,
		0xf8ff: false, 0xf900: true, 0xfaff: true, 0xfb00: false, 0x1ffff: false, 0x20000: true, 0x2a6df: true, 0x2a6e0: false,
		0x2a6ff: false, 0x2a700: true, 0x2b73f: true, 0x2b740: true, 0x2b81f: true, 0x2b820: false, 0x2b91f: false, 0x2b920: true,
		0x2ceaf: true, 0x2ceb0: false, 0x2f7ff: false, 0x2f800: true, 0x2fa1f: true, 0x2fa20: false, 'a': false,
	} {
		if isChinese(r) != want {
			t.Errorf("%U: %v", r, !want)
		}
	}
}

// TestNormalizers: what each normalizer makes of texts that it changes in one place.
func TestNormalizers(t *testing.T) {
	for _, tc := range []struct{ part, text, want string }{
		{`{"type":"NFC"}`, "e\u0301ﬁ", "éﬁ"},
		{`{"type":"NFD"}`, "éﬁ", "e\u0301ﬁ"},
		{`{"type":"NFKC"}`, "e\u0301ﬁ", "éfi"},
		{`{"type":"NFKD"}`, "éﬁ", "e\u0301fi"},
		{`{"type":"Lowercase"}`, "ÄΣİ", "äσi\u0307"},
		{`{"type":"StripAccents"}`, "e\u0301\u0903é", "eé"},
		{`{"type":"Strip","strip_left":true}`, " \u00a0a ", "a "},
		{`{"type":"Strip","strip_right":true}`, " a\u2003 ", " a"},
		{`{"type":"Strip","strip_left":true,"strip_right":true}`, " a ", "a"},
		{`{"type":"Strip"}`, " a ", " a "},
		{`{"type":"Prepend","prepend":"▁"}`, "a", "▁a"},
		{`{"type":"Prepend","prepend":"▁"}`, "", ""},
		{`{"type":"Replace","pattern":{"String":"ab"},"content":"c"}`, "abaab", "cac"},
		{`{"type":"Replace","pattern":{"Regex":"a|b"},"content":"c"}`, "abx", "ccx"},
		{`{"type":"BertNormalizer","clean_text":true}`, "a\tb\rc\nd\u0000e\ufffdf\u200dg\u00a0H中", "a b c def" + "g H中"},
		{`{"type":"BertNormalizer","handle_chinese_chars":true}`, "a中b", "a 中 b"},
		{`{"type":"BertNormalizer","lowercase":true}`, "É中", "e中"},
		{`{"type":"BertNormalizer","lowercase":true,"strip_accents":false}`, "É", "é"},
		{`{"type":"BertNormalizer","strip_accents":true}`, "É", "E"},
		{`{"type":"BertNormalizer","strip_accents":true}`, "\u0903", "\u0903"},
		{`{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"b"},{"type":"Prepend","prepend":"c"}]}`, "a", "cba"},
		{`{"type":"Sequence","normalizers":[]}`, "a", "a"},
		{`null`, "a", "a"},
	} {
		tok := open(t, `{`+unknownModel+`,"normalizer":`+tc.part+`}`)
		if got, err := tok.normalize(newWalk(t.Context(), 100), tc.text); err != nil || got != tc.want {
			t.Errorf("%s of %q: %q, %v, want %q", tc.part, tc.text, got, err, tc.want)
		}
	}
}

// TestDecoders: what each decoder makes of tokens that it changes.
func TestDecoders(t *testing.T) {
	for _, tc := range []struct {
		part   string
		tokens []string
		want   []string
	}{
		{`null`, []string{"a", "b"}, []string{"a b"}},
		{`{"type":"Fuse"}`, []string{"a", "b"}, []string{"ab"}},
		{`{"type":"ByteLevel"}`, []string{"aĠ", "é", "東"}, []string{"a ", "\xe9", "東"}},
		{`{"type":"ByteFallback"}`, []string{"<0x41>", "<0xc3>", "<0x4>", "<0xGG>", "<0x410", "x0x41>", "<0x41>>"},
			[]string{"A", "\xc3", "<0x4>", "<0xGG>", "<0x410", "x0x41>", "<0x41>>"}},
		{`{"type":"Metaspace"}`, []string{"▁a▁b", "▁c"}, []string{"ab", " c"}},
		{`{"type":"Metaspace","prepend_scheme":"never"}`, []string{"▁a", "▁c"}, []string{" a", " c"}},
		{`{"type":"Metaspace","add_prefix_space":false}`, []string{"▁a", "▁c"}, []string{" a", " c"}},
		{`{"type":"WordPiece","prefix":"##"}`, []string{"##a", "##b", "c", "."}, []string{"##a", "b", " c", " ."}},
		{`{"type":"WordPiece","prefix":"##","cleanup":true}`, []string{"a", ".", "##b", "n't"}, []string{"a", ".", "b", "n't"}},
		{`{"type":"BPEDecoder","suffix":"</w>"}`, []string{"a</w>", "b", "c</w>"}, []string{"a ", "b", "c"}},
		{`{"type":"Strip","content":" ","start":1,"stop":2}`, []string{"  a   ", "a", "   "}, []string{" a ", "a", ""}},
		{`{"type":"Strip","content":"","start":1,"stop":1}`, []string{"a"}, []string{"a"}},
		{`{"type":"Replace","pattern":{"String":"▁"},"content":" "}`, []string{"▁a▁", "b"}, []string{" a ", "b"}},
		{`{"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"BPEDecoder","suffix":"b"}]}`, []string{"a", "b"}, []string{"a"}},
		{`{"type":"Sequence","decoders":[]}`, []string{"a", "b"}, []string{"a", "b"}},
	} {
		tok := open(t, `{`+unknownModel+`,"decoder":`+tc.part+`}`)
		got, err := tok.decode(newWalk(t.Context(), 100), tc.tokens)
		if err != nil || len(got) != len(tc.want) {
			t.Errorf("%s of %q: %q, %v, want %q", tc.part, tc.tokens, got, err, tc.want)
			continue
		}
		for i := range got {
			if got[i] != tc.want[i] {
				t.Errorf("%s of %q: %q, want %q", tc.part, tc.tokens, got, tc.want)
				break
			}
		}
	}
}
