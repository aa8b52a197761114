package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/runtime"
)

// TestBatcherPanic: an engine that panics, or a tokenizer, ends the calls that run together, with an
// error that has the stack; the batcher goes on, in other memory.
func TestBatcherPanic(t *testing.T) {
	model := build(t, spec{encoding: "rope"})
	long := runtime.GenerateOptions{MaxNew: 20, Stop: []int64{}}
	for _, provider := range []string{"go", "cpu"} {
		t.Run(provider, func(t *testing.T) {
			s := open(t, model, runtime.Options{Provider: spied + provider})
			b := batcher(t, s, runtime.BatcherOptions{})
			want := generate(t, s, [][]int64{prompt(4), prompt(9)}, long)
			for _, at := range []int{0, 3} { // while prompts are read, and while answers are made
				last := spyOf(s).runs + at
				done := false // a run that panics is not counted
				spyOf(s).fail = func(run int) bool {
					if run == last && !done {
						done = true
						panic("index out of range [7]")
					}
					return false
				}
				_, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{prompt(4), prompt(9)}, long))
				if !errors.Is(err, runtime.ErrPanic) || !strings.Contains(err.Error(), "spy_test.go") ||
					!strings.Contains(err.Error(), "runtime: generate: panic: index out of range [7]") {
					t.Errorf("run %d panics: %v", at, err)
				}
				got, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{prompt(4), prompt(9)}, long))
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("afterwards: %v: %s", err, diff)
				}
			}
			if err := errors.Join(b.Close(), s.Close()); err != nil { // which waits for calls and the loop
				t.Error(err)
			}
			if n := b.Stats(); n.Running+n.Reading+n.Waiting != 0 || n.Bytes != 0 {
				t.Errorf("when all is done: %+v", n)
			}
		})
	}
}

// TestBatcherPanicApart: a panic while a prompt is read leaves alone the answers that are made meanwhile, and one while a
// token of those is made leaves alone the prompt.
func TestBatcherPanicApart(t *testing.T) {
	model := build(t, spec{encoding: "rope"})
	for _, inReading := range []bool{true, false} {
		s := open(t, model, runtime.Options{Provider: spied + "go"})
		b := batcher(t, s, runtime.BatcherOptions{Chunk: 4})
		short := runtime.GenerateOptions{MaxNew: 5, Stop: []int64{}}
		want := generate(t, s, [][]int64{prompt(30)}, short)
		m := spyOf(s)
		chunks, seen, done := 0, len(m.read), false // the other prompt has a single token, which is no chunk
		m.fail = func(int) bool {
			reading := len(m.read) > seen
			seen = len(m.read)
			if reading {
				chunks++
			}
			if chunks >= 2 && !done && reading == inReading {
				done = true
				panic(errSpy)
			}
			return false
		}
		beside := make(chan error, 1)
		steps, after := 0, 0
		var last error
		for _, err := range b.Generate(t.Context(), [][]int64{{5}}, runtime.GenerateOptions{MaxNew: 1 << 14, Stop: []int64{}}) {
			if last = err; err != nil {
				break
			}
			if steps++; steps == 1 {
				go func() {
					got, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{prompt(30)}, short))
					if diff := cmp.Diff(want, got); err == nil && diff != "" {
						err = errors.New(diff)
					}
					beside <- err
				}()
			}
			if len(beside) > 0 {
				after++
			}
			if after == 3 && inReading { // else the error comes, behind the tokens that wait
				break
			}
		}
		prompted := <-beside
		failed, well := prompted, last
		if !inReading {
			failed, well = last, prompted
		}
		if !errors.Is(failed, runtime.ErrPanic) || !errors.Is(failed, errSpy) || well != nil {
			t.Errorf("a panic while the prompt is read: %t: the prompt: %v; the answers: %v", inReading, prompted, last)
		}
	}
}
