package eval

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// zipped is texts as gzip members, one after another.
func zipped(t *testing.T, texts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// Results may be compressed or not, and whoever reads them is told what is wrong.
func TestPlain(t *testing.T) {
	whole := zipped(t, "one\n", "two\n")
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1 // in the checksum of the last member
	for name, c := range map[string]struct {
		data      []byte
		most      int64
		text, err string
	}{
		"plain":           {[]byte("one\n"), 1, "one\n", ""},
		"empty":           {nil, 1, "", ""},
		"a byte":          {[]byte("1"), 1, "1", ""},
		"two members":     {whole, 8, "one\ntwo\n", ""},
		"too much":        {whole, 7, "", "the compressed results are more than 7 bytes"},
		"a bomb":          {zipped(t, strings.Repeat("\n", 1<<20)), 1 << 30, "", "more than 100 times their size"},
		"broken off":      {whole[:len(whole)-3], 8, "", "unexpected EOF"},
		"damaged":         {flipped, 8, "", "invalid checksum"},
		"something after": {append(bytes.Clone(whole), "three is no member\n"...), 8, "", "invalid header"},
		"a header alone":  {whole[:4], 8, "", "unexpected EOF"},
	} {
		r, err := plain(bytes.NewReader(c.data), c.most, 8)
		var got []byte
		if err == nil {
			got, err = io.ReadAll(r)
		}
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %q, error %v, want %q", name, got, err, c.err)
			}
		} else if err != nil || string(got) != c.text {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.text)
		}
	}
}

// A small file that holds much is refused before much of it is read, in one member or in many.
func TestPlainBomb(t *testing.T) {
	row := `{"schema":1,"task":"copy"}` + "\n"
	for name, data := range map[string][]byte{
		"one member": zipped(t, strings.Repeat(row, 1<<20)),
		"many":       bytes.Repeat(zipped(t, strings.Repeat(row, 1<<16)), 16),
	} {
		r, err := plain(bytes.NewReader(data), maxPlain, expansionSlack)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, r)
		if err == nil || !strings.Contains(err.Error(), "more than 100 times") || n > 2<<20 {
			t.Errorf("%s: %d bytes were given, error %v", name, n, err)
		}
	}
}
