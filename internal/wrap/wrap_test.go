package wrap_test

import (
	"errors"
	"io"
	"testing"

	"github.com/nopezoo/zoo/internal/wrap"
)

func TestValue(t *testing.T) {
	if v, err := wrap.Value(3, nil, "of %d", 1); v != 3 || err != nil {
		t.Errorf("%d, %v: want 3 and no error", v, err)
	}
	if v, err := wrap.Value(3, io.EOF, "of %d", 1); v != 0 || !errors.Is(err, io.EOF) || err.Error() != "of 1: EOF" {
		t.Errorf("%d, %v: want no value beside the error", v, err)
	}
}
