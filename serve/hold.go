package serve

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/nopezoo/zoo/runtime"
)

// requestBytes is what a request takes in addition to its body, about.
const requestBytes = 16 << 10

// budget is how many bytes all requests may take together.
type budget struct {
	most int64
	held atomic.Int64
}

// hold is what one request has of a budget.
type hold struct {
	budget *budget
	bytes  int64
}

// take has more bytes counted, or is runtime.ErrBusy.
func (h *hold) take(n int64) error {
	h.bytes += n
	if h.budget.held.Add(n) > h.budget.most {
		return fmt.Errorf("%w: the requests that are read and answered take more than %d bytes", runtime.ErrBusy, h.budget.most)
	}
	return nil
}

// release gives all back.
func (h *hold) release() { h.budget.held.Add(-h.bytes) }

// holding is a reader whose bytes a hold takes.
type holding struct {
	io.Reader
	*hold
}

// Read implements io.Reader.
func (r holding) Read(to []byte) (int, error) {
	n, err := r.Reader.Read(to)
	if full := r.take(int64(n)); full != nil {
		return 0, full
	}
	return n, err
}
