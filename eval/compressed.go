package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// Plain returns the contents of a file of results, which may be compressed: in gzip, of one
// or several members, as its first bytes say. More than MaxResults bytes of contents are an
// error, so that a small file cannot fill the memory.
func Plain(r io.Reader) (io.Reader, error) { return plain(r, MaxResults) }

func plain(r io.Reader, most int64) (io.Reader, error) {
	b := bufio.NewReader(r)
	start, err := b.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !bytes.Equal(start, []byte{0x1f, 0x8b}) { // RFC 1952
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("eval: compressed results: %w", err)
	}
	return &bounded{z, most, most}, nil
}

// bounded is a reader that fails where it would give more than so many bytes.
type bounded struct {
	r          io.Reader
	left, most int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("the compressed results are more than %d bytes, which is the most that are read", b.most)
	}
	return n, err
}
