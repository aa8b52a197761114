package study

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/files"
)

// readResults reads rows, and returns the file as it is; both are nil where there is none.
func readResults(path string) (file []byte, rows []eval.Row, err error) {
	file, err = files.ReadRegular(path, eval.MaxResults)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	rows, other, err := eval.Read(bytes.NewReader(file))
	if err == nil && len(other) > 0 {
		err = errors.New("it holds observations, not rows")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s is damaged: %w; take it from git again (git checkout -- %s), "+
			"or remove it, and all runs of the study are trained again", path, err, filepath.ToSlash(path))
	}
	return file, rows, nil
}

// add keeps rows on the disk: the file is replaced by one with a further member.
func (s *Study) add(rows []eval.Row) error {
	file, before, err := readResults(s.Results) // which git may have changed meanwhile
	if err != nil {
		return err
	}
	var member bytes.Buffer
	z, err := gzip.NewWriterLevel(&member, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := errors.Join(eval.Write(z, rows...), z.Close()); err != nil {
		return err
	}
	err = files.WriteBytesAtomic(s.Results, append(file, member.Bytes()...))
	if err != nil {
		return err
	}
	s.keep(append(before, rows...))
	return nil
}

// claim keeps other programs from adding rows until release.
func (s *Study) claim() (release func(), err error) {
	lock, err := files.Take(filepath.Join(s.folder, ".results.lock"))
	var held *files.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("another zoo study is at work on %s, process %s; wait for its end", s.folder, held.Process)
	}
	if err != nil {
		return nil, err
	}
	return func() {
		os.Remove(lock.Name()) // the next one makes it again
		lock.Close()
	}, nil
}
