package hf

import (
	"crypto/sha256"
	"fmt"
	"io"
	"sync"

	"github.com/nopezoo/zoo/internal/files"
)

// digest is a SHA-256 of files that are read from the first byte to the last, which is computed beside the reading.
// What was read must not change before sum. A nil one computes nothing.
type digest struct {
	parts chan []byte
	sum   func() string // in hex, when all has been read
}

func newDigest() *digest {
	d, sum := &digest{parts: make(chan []byte, 16)}, make(chan string, 1)
	go func() {
		h := sha256.New()
		for part := range d.parts {
			h.Write(part)
		}
		sum <- fmt.Sprintf("%x", h.Sum(nil))
	}()
	d.sum = sync.OnceValue(func() string {
		close(d.parts)
		return <-sum
	})
	return d
}

// file adds a small file.
func (d *digest) file(path string) error {
	if d == nil {
		return nil
	}
	text, err := files.ReadRegular(path, maxJSON)
	d.parts <- text
	return err
}

// over adds what is read of a file.
func (d *digest) over(r io.ReaderAt) io.ReaderAt {
	if d == nil {
		return r
	}
	return digested{r, d}
}

// hashed computes the SHA-256 of a file, in hex, beside whoever reads it in another order. sum waits for it.
func hashed(in io.ReaderAt, size int64) (sum func() (string, error)) {
	type result struct {
		sum string
		err error
	}
	done := make(chan result, 1)
	go func() {
		h := sha256.New()
		_, err := io.Copy(h, io.NewSectionReader(in, 0, size))
		done <- result{fmt.Sprintf("%x", h.Sum(nil)), err}
	}()
	return func() (string, error) {
		r := <-done
		return r.sum, r.err
	}
}

type digested struct {
	io.ReaderAt
	to *digest
}

// ReadAt implements io.ReaderAt, and hands on what it has read part by part.
func (d digested) ReadAt(p []byte, off int64) (n int, err error) {
	const together = 1 << 22
	for n < len(p) && err == nil {
		part := p[n:min(n+together, len(p))]
		var k int
		k, err = d.ReaderAt.ReadAt(part, off+int64(n))
		n += k
		d.to.parts <- part[:k]
	}
	return n, err
}
