package native

import (
	"cmp"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/nopezoo/zoo/runtime/engine"
)

// pool is the threads that share large steps. They start with the first of these and end
// with close. Where two runs come at once, the second does its steps alone.
type pool struct {
	threads int
	busy    sync.Mutex
	started bool
	closed  bool
	wake    chan struct{}
	job     divided
	parts   int
	next    atomic.Int64
	working sync.WaitGroup
	failure atomic.Pointer[error] // of a part that panicked
}

// divided is work in parts that may be done at the same time.
type divided interface {
	// do does a part on a thread, 0 to threads−1.
	do(part, thread int)
}

func newPool(threads int) *pool {
	threads = cmp.Or(threads, goruntime.GOMAXPROCS(0))
	return &pool{threads: threads, wake: make(chan struct{}, threads)}
}

// do does all parts of the work. A panic in one of them is one here, when no thread works on it any
// more.
func (p *pool) do(parts int, work divided) {
	if p.threads == 1 || parts < 2 || !p.busy.TryLock() {
		for i := range parts {
			work.do(i, 0)
		}
		return
	}
	defer p.busy.Unlock()
	if !p.started && !p.closed {
		p.started = true
		for i := 1; i < p.threads; i++ {
			go p.serve(i)
		}
	}
	p.job, p.parts = work, parts
	p.next.Store(0)
	if helpers := min(p.threads, parts) - 1; p.started {
		p.working.Add(helpers)
		for range helpers {
			p.wake <- struct{}{}
		}
	}
	p.work(0)
	p.working.Wait()
	p.job = nil
	if e := p.failure.Swap(nil); e != nil {
		panic(*e)
	}
}

// work does parts until none is left. A panic ends the work of all threads.
func (p *pool) work(thread int) {
	if err := engine.Guard(func() error {
		for i := int(p.next.Add(1)) - 1; i < p.parts; i = int(p.next.Add(1)) - 1 {
			p.job.do(i, thread)
		}
		return nil
	}); err != nil {
		first := err
		p.failure.CompareAndSwap(nil, &first)
		p.next.Store(int64(p.parts))
	}
}

func (p *pool) serve(thread int) {
	for range p.wake {
		p.work(thread)
		p.working.Done()
	}
}

// close ends the threads. Runs after it do their steps alone.
func (p *pool) close() {
	p.busy.Lock()
	defer p.busy.Unlock()
	if !p.closed {
		close(p.wake)
		p.closed, p.started = true, false
	}
}
