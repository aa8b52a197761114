package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/nopezoo/zoo/internal/wrap"
)

// maxPlain bounds the contents of a compressed file, in bytes: a hundred times the largest study's.
const maxPlain = 1 << 28

// maxExpansion bounds how many times its own size a compressed file may hold. Rows in gzip take a tenth to a
// thirtieth of their text.
const maxExpansion = 100

// expansionSlack is how many bytes any compressed file may hold, and the most that a bomb gives before it is refused.
const expansionSlack = 1 << 20

// Read reads a file of rows or of observations, which its first line tells apart. It may be compressed: in gzip, of one
// or several members, as its first bytes say. Contents of more than 256 MiB, or of more than 1 MiB and 100 times
// what was read of the file, are an error, so that a small file cannot fill the memory.
//
// Empty lines and unknown fields are skipped. A malformed or truncated line, or one of another schema, is an error
// with its number; the records before it are returned with it.
func Read(r io.Reader) ([]Row, []Observation, error) {
	text, err := plain(r, maxPlain, expansionSlack)
	if err != nil {
		return nil, nil, err
	}
	lines := bufio.NewReaderSize(text, 1<<10)
	first, _ := lines.Peek(1 << 10) // what is wrong with it is for the reader to say
	if holdsObservations(first) {
		found, err := readObservations(lines)
		return nil, found, err
	}
	rows, err := readRows(lines)
	return rows, nil, err
}

// plain returns the contents of a file that may be compressed.
func plain(r io.Reader, most, slack int64) (io.Reader, error) {
	file := &counted{r: r}
	b := bufio.NewReader(file)
	start, err := b.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !bytes.Equal(start, []byte{0x1f, 0x8b}) { // RFC 1952
		return b, nil
	}
	z, err := gzip.NewReader(b)
	return wrap.Value[io.Reader](&bounded{r: z, file: file, most: most, slack: slack}, err, "eval: compressed results")
}

// counted counts the bytes that were read.
type counted struct {
	r io.Reader
	n int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// bounded gives the contents of a compressed file, and fails where they are more than they may be.
type bounded struct {
	r           io.Reader
	file        *counted
	n           int64 // bytes given
	most, slack int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	switch b.n += int64(n); {
	case b.n > b.most:
		return 0, fmt.Errorf("the compressed results are more than %d bytes, which is the most that are read; "+
			"divide them among several files", b.most)
	case b.n > b.slack && b.n-b.slack > maxExpansion*b.file.n:
		return 0, fmt.Errorf("the compressed results hold more than %d times their size, which no results do", maxExpansion)
	}
	return n, err
}
