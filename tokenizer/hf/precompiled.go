package hf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// precompiled is SentencePiece's table of normal forms: texts of a few bytes and what stands for
// each. On disk it is the size of the trie in bytes, the trie and the forms, numbers little-endian.
type precompiled struct {
	trie  []uint32 // a double array, as darts-clone has it
	forms []byte   // each with a zero byte behind
}

func readPrecompiled(table []byte) (*precompiled, error) {
	const word = 4
	if len(table) < 2*word {
		return nil, errors.New(`type "Precompiled": precompiled_charsmap is missing or cut off`)
	}
	size := uint64(binary.LittleEndian.Uint32(table))
	table = table[word:]
	if size == 0 || size%word != 0 || size > uint64(len(table)) {
		return nil, fmt.Errorf(`type "Precompiled": precompiled_charsmap has a trie of %d bytes in %d`, size, len(table))
	}
	p := &precompiled{trie: make([]uint32, size/word), forms: table[size:]}
	for i := range p.trie {
		p.trie[i] = binary.LittleEndian.Uint32(table[word*i:])
	}
	if !utf8.Valid(p.forms) {
		return nil, errors.New(`type "Precompiled": the normal forms in precompiled_charsmap are not valid UTF-8`)
	}
	for form := range bytes.SplitSeq(p.forms, []byte{0}) {
		if len(form) > mostForm {
			return nil, fmt.Errorf(`type "Precompiled": precompiled_charsmap has a normal form of %d bytes; want at most %d`, len(form), mostForm)
		}
	}
	return p, nil
}

// form returns what stands for a text. As in the library tokenizers that is the form of the
// shortest beginning that has one, for all of the text.
func (p *precompiled) form(text string) (string, bool) {
	// The parts of a unit: https://github.com/s-yata/darts-clone, "double-array unit".
	const (
		leaf     = 1 << 8
		extended = 1 << 9
		value    = 1<<31 - 1
		label    = 1<<31 | 0xff
	)
	offset := func(unit uint32) uint32 { return unit >> 10 << (unit & extended >> 6) }
	node := offset(p.trie[0])
	for i := range len(text) {
		c := uint32(text[i])
		if node ^= c; c == 0 || uint64(node) >= uint64(len(p.trie)) {
			break
		}
		unit := p.trie[node]
		if unit&label != c {
			break
		}
		if node ^= offset(unit); uint64(node) >= uint64(len(p.trie)) {
			break
		}
		if unit&leaf != 0 {
			at := p.trie[node] & value
			if uint64(at) >= uint64(len(p.forms)) || !utf8.RuneStart(p.forms[at]) {
				break
			}
			form, _, _ := bytes.Cut(p.forms[at:], []byte{0})
			return string(form), true
		}
	}
	return "", false
}

// mostForm is the most bytes of a normal form; the longest of published files has 33.
const mostForm = 1 << 10

// maxCluster is the most bytes of a grapheme cluster that the library looks up as one text.
const maxCluster = 5

// normalize has each grapheme cluster, or else each character, in its normal form.
func (p *precompiled) normalize(w *walk, s string) (string, error) {
	var b strings.Builder
	read, writes := 0, 0
	write := func(source, form string) error {
		b.WriteString(form)
		read += len(source)
		if writes++; writes%looked == 0 {
			if err := over(w); err != nil {
				return err
			}
		}
		return w.fits(b.Len() - read)
	}
	for clusters := uniseg.NewGraphemes(s); clusters.Next(); {
		cluster := clusters.Str()
		if len(cluster) <= maxCluster {
			if form, ok := p.form(cluster); ok {
				if err := write(cluster, form); err != nil {
					return "", err
				}
				continue
			}
		}
		for _, r := range cluster {
			form, ok := p.form(string(r))
			if !ok {
				form = string(r)
			}
			if err := write(string(r), form); err != nil {
				return "", err
			}
		}
	}
	return b.String(), nil
}
