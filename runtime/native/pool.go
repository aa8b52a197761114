package native

import (
	"cmp"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nopezoo/zoo/runtime/engine"
)

// pool is the threads that share large steps. They start with the first of these and end
// with close. Where two runs come at once, the second does its steps alone.
type pool struct {
	threads int
	spin    time.Duration // how long a thread looks for the next step before it sleeps
	busy    sync.Mutex
	helpers []signal // threads beside the one that has steps done, from the first shared step until close
	closed  bool
	job     divided
	parts   int
	next    atomic.Int64
	working atomic.Int64          // helpers
	ended   signal                // by the last of them
	failure atomic.Pointer[error] // of a part that panicked
}

// signal is what a thread waits for, looking for it first and then asleep.
type signal struct {
	state atomic.Int32
	wake  chan struct{}
}

// States of a signal.
const (
	awaited = iota
	asleep
	given
)

func (s *signal) give() {
	if s.state.Swap(given) == asleep {
		s.wake <- struct{}{}
	}
}

func (s *signal) wait(spin time.Duration) {
	begin := time.Now()
	for i := 1; s.state.Load() != given; i++ {
		if (i%64 == 0 || spin == 0) && time.Since(begin) >= spin {
			if s.state.CompareAndSwap(awaited, asleep) {
				<-s.wake
			}
			break
		}
	}
	s.state.Store(awaited)
}

// spinning is how long threads look for the next step: those of a token follow each other within some 10 µs, where waking a
// thread takes as long.
const spinning = 200 * time.Microsecond

// divided is work in parts that may be done at the same time.
type divided interface {
	// do does a part on a thread, 0 to threads−1.
	do(part, thread int)
}

func newPool(threads int, sleepy bool) *pool {
	threads = cmp.Or(threads, goruntime.GOMAXPROCS(0))
	p := &pool{threads: threads, ended: signal{wake: make(chan struct{}, 1)}}
	if !sleepy && threads <= min(goruntime.GOMAXPROCS(0), goruntime.NumCPU()) { // else a thread that spins keeps another from working
		p.spin = spinning
	}
	return p
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
	if p.helpers == nil && !p.closed {
		p.helpers = make([]signal, p.threads-1)
		for i := range p.helpers {
			p.helpers[i].wake = make(chan struct{}, 1)
			go p.serve(&p.helpers[i], i+1)
		}
	}
	p.job, p.parts = work, parts
	p.next.Store(0)
	wanted := p.helpers[:min(len(p.helpers), parts-1)]
	p.working.Store(int64(len(wanted)))
	for i := range wanted {
		wanted[i].give()
	}
	p.work(0)
	if len(wanted) > 0 {
		p.ended.wait(p.spin)
	}
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

func (p *pool) serve(s *signal, thread int) {
	for {
		s.wait(p.spin)
		if p.closed {
			return
		}
		p.work(thread)
		if p.working.Add(-1) == 0 {
			p.ended.give()
		}
	}
}

// close ends the threads. Runs after it do their steps alone.
func (p *pool) close() {
	p.busy.Lock()
	defer p.busy.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	for i := range p.helpers {
		p.helpers[i].give()
	}
	p.helpers = nil
}
