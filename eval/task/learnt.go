package task

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/internal/files"
)

// learntFile is a vocabulary of subwords in the per-user cache, with the corpora. What is in a card never depends on it.
type learntFile struct {
	Of     string   `json:"of"` // version, rule and digests of the corpora
	SHA256 string   `json:"sha256"`
	Pieces []string `json:"pieces"`
}

// mostLearnt bounds such files, in bytes; a vocabulary of the largest size has about 100 kB.
const mostLearnt = 1 << 24

// sum is the SHA-256 of what the file holds, in hex.
func (l learntFile) sum() string {
	s := sha256.Sum256([]byte(l.Of + "\n" + strings.Join(l.Pieces, "\n")))
	return hex.EncodeToString(s[:])
}

// learntPath is where the pieces of a vocabulary are kept.
func learntPath(rule, source string) (string, error) {
	corpora, err := corpusFolder()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(source))
	name := fmt.Sprintf("%s-%s.json", strings.ReplaceAll(rule, ":", "-"), hex.EncodeToString(sum[:8]))
	return filepath.Join(filepath.Dir(corpora), "subwords", name), nil
}

// readLearnt returns the pieces that are kept in a file, which must be a key's.
func readLearnt(path, source string) ([]string, error) {
	data, err := files.ReadRegular(path, mostLearnt)
	if err != nil {
		return nil, err
	}
	var l learntFile
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	if l.Of != source {
		return nil, fmt.Errorf("%s has the subwords of %q, not of %q", path, l.Of, source)
	}
	if is := l.sum(); is != l.SHA256 {
		return nil, fmt.Errorf("%s is damaged: what it holds has the SHA-256 %s, and it says %q", path, is, l.SHA256)
	}
	return l.Pieces, nil
}

// writeLearnt keeps pieces in a file. Of several writers the last one stays, and all write the same.
func writeLearnt(path, source string, pieces []string) error {
	l := learntFile{Of: source, Pieces: pieces}
	l.SHA256 = l.sum()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return files.WriteBytesAtomic(path, b.Bytes())
}
