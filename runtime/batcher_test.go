package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
)

func batcher(t testing.TB, s *runtime.Session, opt runtime.BatcherOptions) *runtime.Batcher {
	t.Helper()
	b, err := runtime.NewBatcher(s, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// question is a call for one prompt.
type question struct {
	prompt []int64
	limit  int
}

// questions are so many different ones, of lengths that differ by much.
func questions(n int, vocab int64) []question {
	rng := rand.New(rand.NewPCG(5, 6))
	out := make([]question, n)
	for i := range out {
		length, limit := 1+rng.IntN(20), 1+rng.IntN(30)
		if i%7 == 3 {
			length += 90
		}
		if i%5 == 2 {
			limit += 80
		}
		for range length {
			out[i].prompt = append(out[i].prompt, rng.Int64N(vocab))
		}
		out[i].limit = limit
	}
	return out
}

// askAll asks all questions at once, and returns the answers.
func askAll(t *testing.T, b *runtime.Batcher, all []question) [][]int64 {
	t.Helper()
	answers := make([][]int64, len(all))
	var group sync.WaitGroup
	for i, q := range all {
		group.Go(func() {
			out, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{q.prompt}, runtime.GenerateOptions{MaxNew: q.limit, Stop: []int64{}}))
			if err != nil {
				t.Errorf("question %d: %v", i, err)
				return
			}
			answers[i] = out[0]
		})
	}
	group.Wait()
	return answers
}

// testBatcher holds the answers to questions of a vocabulary of 50 that come at once to what a
// full pass over each says.
func testBatcher(t *testing.T, model []byte, provider string) {
	full := open(t, model, runtime.Options{Provider: strings.TrimPrefix(provider, spied), ChunkSize: 1000})
	all := questions(16, 50)
	for _, opt := range []runtime.BatcherOptions{{MaxRows: 5, Chunk: 20, MaxQueue: 100}, {}} {
		s := open(t, model, runtime.Options{Provider: provider})
		answers := askAll(t, batcher(t, s, opt), all)
		if t.Failed() {
			return
		}
		prompts := make([][]int64, len(all))
		for i, q := range all {
			if prompts[i] = q.prompt; len(answers[i]) != q.limit {
				t.Fatalf("%+v: answer %d has %d tokens, want %d", opt, i, len(answers[i]), q.limit)
			}
		}
		wantBest(t, full, prompts, answers)
	}
}

// TestBatcher: answers are what they are alone, of every kind of state on every engine.
func TestBatcher(t *testing.T) {
	for _, encoding := range []string{"rope", "txl", "alibi"} {
		t.Run(encoding, func(t *testing.T) {
			everyKind(t, spec{encoding: encoding}, spied, testBatcher)
		})
	}
	everyWindow(t, testBatcher)
	model, _, _ := recurrent(t)
	for _, provider := range []string{"cpu", "go"} {
		t.Run("recurrent/"+provider, func(t *testing.T) {
			s := open(t, model, runtime.Options{Provider: spied + provider})
			all := questions(24, 7)
			var want [][]int64
			for _, q := range all {
				want = append(want, generate(t, s, [][]int64{q.prompt}, runtime.GenerateOptions{MaxNew: q.limit, Stop: []int64{}})...)
			}
			if diff := cmp.Diff(want, askAll(t, batcher(t, s, runtime.BatcherOptions{MaxRows: 5}), all)); diff != "" {
				t.Errorf("answers (-alone +together): %s", diff)
			}
			// Prompts of any lengths are read together, token by token, and some end while others are read.
			beginning := all[0].prompt[:4]
			opt := runtime.GenerateOptions{Prefix: prefill(t, s, beginning), Stop: []int64{}}
			var prompts [][]int64
			runs := 0
			for i, q := range all[:8] {
				prompts = append(prompts, slices.Concat(beginning, q.prompt[:1+i]))
				opt.Limits = append(opt.Limits, q.limit)
				runs = max(runs, 1+1+i+q.limit-1) // the prefix has not run its last token
			}
			want = generate(t, s, prompts, opt)
			before := spyOf(s).runs
			got, err := runtime.Tokens(batcher(t, s, runtime.BatcherOptions{}).Generate(t.Context(), prompts, opt))
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v: answers (-session +batcher): %s", err, diff)
			}
			if n := spyOf(s).runs - before; n != runs {
				t.Errorf("%d runs, want %d", n, runs)
			}
		})
	}
}

// TestBatcherWithoutPadding: a model whose states have slots and that cannot be told of padding
// gets prompts of one length together, and others afterwards.
func TestBatcherWithoutPadding(t *testing.T) {
	s := open(t, probe(t, true, true), runtime.Options{Provider: "go"})
	all := questions(12, 3)
	for i := range all {
		all[i].prompt = all[i].prompt[:1+i%2]
	}
	for i, answer := range askAll(t, batcher(t, s, runtime.BatcherOptions{}), all) {
		// The probe gives as logits the id, the position, and how many slots it sees.
		want := generate(t, s, [][]int64{all[i].prompt}, runtime.GenerateOptions{MaxNew: all[i].limit, Stop: []int64{}})
		if !slices.Equal(want[0], answer) {
			t.Errorf("question %d: %v, want %v", i, answer, want[0])
		}
	}
}

// TestBatcherCalls: a call gets what the session gives, for all that it can ask for.
func TestBatcherCalls(t *testing.T) {
	s := open(t, build(t, spec{encoding: "rope"}), runtime.Options{})
	b := batcher(t, s, runtime.BatcherOptions{MaxRows: 3, Chunk: 4, MaxQueue: 100})
	prefix := prefill(t, s, prompt(30))
	stop, err := s.Decode(generate(t, s, [][]int64{{2}}, runtime.GenerateOptions{MaxNew: 6, Stop: []int64{}})[0][3:5])
	if err != nil {
		t.Fatal(err)
	}
	ids := runtime.Prompt{IDs: []int64{3, 2, 7}}
	long := runtime.Prompt{IDs: append(prompt(30), 4, 5)}
	calls := []struct {
		prompts []runtime.Prompt
		opt     runtime.GenerateOptions
	}{
		{texts("a"), runtime.GenerateOptions{MaxNew: 9}},
		{texts("a", "a ", "b", "c", "d"), runtime.GenerateOptions{Limits: []int{3, 9, 30, 1, 4}}},
		{texts("a"), runtime.GenerateOptions{MaxNew: 20, StopStrings: []string{stop}}},
		{[]runtime.Prompt{ids, long}, runtime.GenerateOptions{MaxNew: 7, LogProbs: true, TopLogProbs: 3}},
		{[]runtime.Prompt{long, long}, runtime.GenerateOptions{MaxNew: 7, Prefix: prefix, Stop: []int64{}}},
		{[]runtime.Prompt{ids, ids}, runtime.GenerateOptions{MaxNew: 12, Sampling: runtime.Sampling{Temperature: 1, TopK: 9, Seed: 3}}},
		{[]runtime.Prompt{ids, long}, runtime.GenerateOptions{MaxNew: 12, PerRow: []runtime.Sampling{
			{PresencePenalty: 1}, {RepetitionPenalty: 2, LogitBias: map[int64]float64{4: 2}}}}},
	}
	var group sync.WaitGroup
	for i, c := range slices.Concat(calls, calls, calls) {
		group.Go(func() {
			want, err := runtime.Completions(s.Stream(t.Context(), c.prompts, c.opt))
			if err != nil {
				t.Error(err)
			}
			got, err := runtime.Completions(b.Stream(t.Context(), c.prompts, c.opt))
			if diff := cmp.Diff(want, got, close64); err != nil || diff != "" {
				t.Errorf("call %d: %v (-session +batcher):\n%s", i%len(calls), err, diff)
			}
		})
	}
	group.Wait()
	want, err := s.Complete(t.Context(), "a", runtime.GenerateOptions{MaxNew: 5})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := runtime.Completions(b.Stream(t.Context(), texts("a"), runtime.GenerateOptions{MaxNew: 5})); err != nil || got[0].Text != want {
		t.Errorf("completed to %+v (%v), want %q", got, err, want)
	}
	if err := b.Close(); err != nil { // which waits for the loop
		t.Error(err)
	}
	if n := b.Stats(); n.Waiting+n.Running+n.Reading != 0 || n.Bytes != 0 || n.Tokens == 0 {
		t.Errorf("when all is done: %+v", n)
	}
}

// TestBatcherShares: several answers to one prompt read it once, alone and with others, of every
// kind of state on every engine, and are what the session gives.
func TestBatcherShares(t *testing.T) {
	shares := func(t *testing.T, model []byte, provider string) {
		s := open(t, model, runtime.Options{Provider: provider, ChunkSize: 16})
		b := batcher(t, s, runtime.BatcherOptions{})
		prompts := [][]int64{prompt(40), prompt(9), prompt(40), prompt(40), prompt(9), prompt(40)}
		opt := runtime.GenerateOptions{Limits: []int{6, 9, 9, 1, 9, 9}, Stop: []int64{}}
		for i := range prompts {
			opt.PerRow = append(opt.PerRow, runtime.Sampling{Temperature: 1, Seed: uint64(i)})
		}
		want := generate(t, s, prompts, opt)
		before := spyOf(s).tokens
		got, err := runtime.Tokens(b.Generate(t.Context(), prompts, opt))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v: answers (-session +batcher): %s", err, diff)
		}
		if n := spyOf(s).tokens - before; n > 2*40+8*len(prompts) {
			t.Errorf("%d tokens were run", n)
		}
		for step, err := range b.Generate(t.Context(), [][]int64{prompt(5)}, runtime.GenerateOptions{MaxNew: 1 << 14, Stop: []int64{}}) {
			if err != nil || step.Finish[0] != "" {
				t.Fatalf("the other answer: %v", err)
			}
			got, err := runtime.Tokens(b.Generate(t.Context(), prompts, opt))
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v: answers (-session +batcher, beside another): %s", err, diff)
			}
			break
		}
	}
	everyKind(t, spec{encoding: "txl"}, spied, shares)
	everyWindow(t, shares)
}

// TestBatcherStress: 64 callers ask, leave and come again, and each gets the answer to its own
// question. It is for the race detector, too.
func TestBatcherStress(t *testing.T) {
	everyKind(t, spec{encoding: "nope", config: models.Config{DModel: 8, NLayers: 1, NHeads: 2, DFF: 8, VocabSize: 50}}, "",
		func(t *testing.T, model []byte, provider string) {
			s := open(t, model, runtime.Options{Provider: provider})
			b := batcher(t, s, runtime.BatcherOptions{MaxRows: 16, MaxQueue: 64, MaxBytes: 1 << 18, Chunk: 32})
			all := questions(40, 50)
			want := make([]runtime.Completion, len(all))
			opt := func(i int) runtime.GenerateOptions {
				return runtime.GenerateOptions{MaxNew: all[i].limit, Sampling: runtime.Sampling{Temperature: 1, TopK: 5, Seed: uint64(i)}}
			}
			for i, q := range all {
				out, err := runtime.Completions(s.Stream(t.Context(), []runtime.Prompt{{IDs: q.prompt}}, opt(i)))
				if err != nil {
					t.Fatal(err)
				}
				want[i] = out[0]
			}
			var answered, left, busy atomic.Int64
			var group sync.WaitGroup
			for c := range 64 {
				group.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(c), 1))
					for range 6 {
						i := rng.IntN(len(all))
						ctx, cancel := context.WithCancel(t.Context())
						stays := len(want[i].Tokens)
						if rng.IntN(3) == 0 {
							stays = 1 + rng.IntN(stays)
						}
						var tokens []int64
						text := ""
						for step, err := range b.Stream(ctx, []runtime.Prompt{{IDs: all[i].prompt}}, opt(i)) {
							if errors.Is(err, runtime.ErrBusy) {
								busy.Add(1)
								break
							}
							if err != nil {
								t.Errorf("question %d: %v", i, err)
								break
							}
							tokens, text = append(tokens, step.Token), text+step.Text
							if len(tokens) == stays {
								break
							}
						}
						cancel()
						switch whole := len(tokens) == len(want[i].Tokens); {
						case !slices.Equal(tokens, want[i].Tokens[:len(tokens)]), whole && text != want[i].Text:
							t.Errorf("question %d: answer %v %q, want %v %q", i, tokens, text, want[i].Tokens, want[i].Text)
						case whole:
							answered.Add(1)
						case len(tokens) > 0:
							left.Add(1)
						}
					}
				})
			}
			group.Wait()
			if answered.Load()+left.Load()+busy.Load() != 64*6 || answered.Load() < 100 || left.Load() < 10 {
				t.Errorf("%d answered, %d left, %d busy", answered.Load(), left.Load(), busy.Load())
			}
		})
}

// TestBatcherCancel: callers that leave, by their context or by breaking off, disturb no one.
func TestBatcherCancel(t *testing.T) {
	s := open(t, build(t, spec{encoding: "rope"}), runtime.Options{})
	b := batcher(t, s, runtime.BatcherOptions{MaxRows: 4, MaxQueue: 50})
	all := questions(9, 50)
	var want [][]int64
	for _, q := range all {
		want = append(want, generate(t, s, [][]int64{q.prompt}, runtime.GenerateOptions{MaxNew: q.limit, Stop: []int64{}})...)
	}
	var group sync.WaitGroup
	endless := runtime.GenerateOptions{MaxNew: 1 << 14, Stop: []int64{}}
	for i := range 16 {
		group.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			steps := 0
			var last error
			for _, err := range b.Generate(ctx, [][]int64{prompt(9 + i)}, endless) {
				last = err
				if steps++; steps == 5+i && i%2 == 0 {
					cancel()
				} else if steps == 5+i {
					break
				}
			}
			if i%2 == 0 && !errors.Is(last, context.Canceled) {
				t.Errorf("call %d ended with %v after %d steps", i, last, steps)
			}
		})
	}
	if diff := cmp.Diff(want, askAll(t, b, all)); diff != "" {
		t.Errorf("answers (-alone +beside callers who leave): %s", diff)
	}
	group.Wait()
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := runtime.Tokens(b.Generate(ended, [][]int64{{1}}, endless)); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	for stats := b.Stats(); stats.Running+stats.Reading+stats.Waiting > 0; stats = b.Stats() {
		time.Sleep(time.Millisecond)
	}
}

// TestBatcherBusy: the queue has a bound, and prompts begin in the order in which they came.
func TestBatcherBusy(t *testing.T) {
	s := open(t, build(t, spec{encoding: "nope"}), runtime.Options{Provider: spied + "go"})
	b := batcher(t, s, runtime.BatcherOptions{MaxRows: 1, MaxQueue: 3})
	opt := runtime.GenerateOptions{MaxNew: 1 << 14, Stop: []int64{}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	started, first := make(chan struct{}), make(chan error)
	go func() {
		n := 0
		var last error
		for _, err := range b.Generate(ctx, [][]int64{{5}}, opt) {
			if last = err; n == 0 {
				close(started)
			}
			n++
		}
		first <- last
	}()
	<-started
	var group sync.WaitGroup
	for i := range 3 {
		group.Go(func() {
			if _, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{{int64(i), 9}}, runtime.GenerateOptions{MaxNew: 2})); err != nil {
				t.Error(err)
			}
		})
		for b.Stats().Waiting != i+1 {
			time.Sleep(time.Millisecond)
		}
	}
	_, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{{1}}, runtime.GenerateOptions{}))
	if !errors.Is(err, runtime.ErrBusy) || errors.Is(err, runtime.ErrInput) ||
		!strings.Contains(err.Error(), "there are 4 already, 1 more are wanted, and the batcher takes 4") {
		t.Errorf("a full queue: %v", err)
	}
	_, err = runtime.Tokens(b.Generate(t.Context(), slices.Repeat([][]int64{{1}}, 5), runtime.GenerateOptions{}))
	if !errors.Is(err, runtime.ErrInput) || !strings.Contains(err.Error(), "there are 5 prompts, and the batcher takes 4 at a time") {
		t.Errorf("more than ever find room: %v", err)
	}
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the first call: %v", err)
	}
	group.Wait()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if order := spyOf(s).read; !slices.Equal(order, []int64{0, 1, 2}) {
		t.Errorf("prompts were read in the order %v", order)
	}
}

// TestBatcherSteady: while a long prompt is read, answers go on.
func TestBatcherSteady(t *testing.T) {
	s := open(t, build(t, spec{encoding: "rope"}), runtime.Options{Provider: spied + "go"})
	b := batcher(t, s, runtime.BatcherOptions{Chunk: 8})
	m := spyOf(s)
	chunks, steps := 0, 0 // of the long prompt, and of the answer between these
	m.fail = func(int) bool {
		if len(m.read) > chunks {
			chunks++
		} else if chunks > 0 && chunks < 100 {
			steps++
		}
		return false
	}
	begun, long := false, make(chan struct{})
	for _, err := range b.Generate(t.Context(), [][]int64{{5}}, runtime.GenerateOptions{MaxNew: 1 << 14, Stop: []int64{}}) {
		if err != nil {
			t.Fatal(err)
		}
		if !begun {
			begun = true
			go func() {
				defer close(long)
				if _, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{prompt(800)}, runtime.GenerateOptions{MaxNew: 1})); err != nil {
					t.Error(err)
				}
			}()
		}
		select {
		case <-long:
		default:
			continue
		}
		break
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if chunks != 100 || steps != 99 {
		t.Errorf("%d tokens were made between the %d chunks of 800 tokens; want 99 and 100", steps, chunks)
	}
}

// slotBytes returns how many bytes the states of one row hold for a slot.
func slotBytes(s *runtime.Session) (n int64) {
	for _, state := range s.Info().Card.State {
		_, held := state.Bytes(1, 1)
		n += int64(held)
	}
	return n
}

// TestBatcherBytes: the states of what runs together keep within the bound, and what can never
// do so is refused.
func TestBatcherBytes(t *testing.T) {
	everyKind(t, spec{encoding: "rope"}, "", func(t *testing.T, model []byte, provider string) {
		s := open(t, model, runtime.Options{Provider: provider})
		all := questions(20, 50)
		slot := slotBytes(s)
		longest := 0
		for _, q := range all {
			longest = max(longest, len(q.prompt)+q.limit-1)
		}
		most := slot * int64(longest+40)
		b := batcher(t, s, runtime.BatcherOptions{MaxBytes: most, MaxQueue: 100})
		want := askAll(t, batcher(t, s, runtime.BatcherOptions{MaxRows: 1, MaxQueue: 100}), all)
		got := askAll(t, b, all)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("answers (-one by one +within the bound): %s", diff)
		}
		if peak := b.Stats().Peak; peak > most || peak < slot*int64(longest) {
			t.Errorf("up to %d bytes; the bound is %d, the longest row takes %d", peak, most, slot*int64(longest))
		}
		_, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{{1}, prompt(longest + 41)}, runtime.GenerateOptions{MaxNew: 1}))
		if !errors.Is(err, runtime.ErrTooLong) || !errors.Is(err, runtime.ErrInput) ||
			!strings.Contains(err.Error(), fmt.Sprintf("prompt 1: sequence too long: with its answer it takes %d bytes, the batcher has %d",
				slot*int64(longest+41), most)) {
			t.Errorf("too large: %v", err)
		}
	})
}

// TestBatcherBytesOfEnded: rows that have ended, and slots that all others pad, count while they are there; they
// go when others need the room.
func TestBatcherBytesOfEnded(t *testing.T) {
	s := open(t, build(t, spec{encoding: "rope"}), runtime.Options{Provider: spied + "go"})
	slot := slotBytes(s)
	// One long prompt that ends first, so that all others are padded by 40.
	prompts, opt := [][]int64{prompt(100)}, runtime.GenerateOptions{Limits: []int{26}, Stop: []int64{}}
	for i := range int64(7) {
		prompts, opt.Limits = append(prompts, append(prompt(59), i)), append(opt.Limits, 30)
	}
	late := runtime.GenerateOptions{MaxNew: 3, Stop: []int64{}}
	want := append(generate(t, s, prompts, opt), generate(t, s, [][]int64{prompt(90)}, late)...)
	most := slot * 8 * (100 + 30 - 1)
	b := batcher(t, s, runtime.BatcherOptions{MaxBytes: most, Chunk: 30})
	got := make([][]int64, len(prompts)+1)
	var group sync.WaitGroup
	step := 0
	for made, err := range b.Generate(t.Context(), prompts, opt) {
		if err != nil {
			t.Fatal(err)
		}
		if step++; step == 1 {
			var answered atomic.Bool
			group.Go(func() {
				defer answered.Store(true)
				out, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{prompt(90)}, late))
				if err != nil {
					t.Error(err)
					return
				}
				got[len(prompts)] = out[0]
			})
			for b.Stats().Waiting == 0 && !answered.Load() { // it may be served between two looks
				time.Sleep(time.Millisecond)
			}
		}
		for i, id := range made.Tokens {
			if id != runtime.NoToken {
				got[i] = append(got[i], id)
			}
		}
	}
	group.Wait()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-session +batcher): %s", diff)
	}
	if peak := b.Stats().Peak; peak > most || peak < most*3/4 {
		t.Errorf("up to %d bytes (%d slots); the bound is %d", peak, peak/slot, most)
	}
}

// TestBatcherBytesOfRoom: slots that states in place have room for, and that are not needed any more, go
// when others need them.
func TestBatcherBytesOfRoom(t *testing.T) {
	everyKind(t, spec{encoding: "rope"}, spied, func(t *testing.T, model []byte, provider string) {
		s := open(t, model, runtime.Options{Provider: provider})
		slot := slotBytes(s)
		// The long prompt ends first. The slots that the short one pads go then; room is left.
		long, opt := [][]int64{prompt(100), prompt(5)}, runtime.GenerateOptions{Limits: []int{30, 60}, Stop: []int64{}}
		short, soon := [][]int64{prompt(2), prompt(3), prompt(4)}, runtime.GenerateOptions{MaxNew: 5, Stop: []int64{}}
		want := append(generate(t, s, long, opt), generate(t, s, short, soon)...)
		most := slot * 2 * (100 + 60 - 1)
		b := batcher(t, s, runtime.BatcherOptions{MaxBytes: most})
		spy := spyOf(s)
		spy.runs = 0
		spy.fail = func(run int) bool {
			for run == 5 && b.Stats().Waiting == 0 {
				time.Sleep(time.Millisecond)
			}
			return false
		}
		got := make([][]int64, 5)
		var group sync.WaitGroup
		ask := func(at int, prompts [][]int64, opt runtime.GenerateOptions) {
			group.Go(func() {
				out, err := runtime.Tokens(b.Generate(t.Context(), prompts, opt))
				if err != nil {
					t.Error(err)
				}
				copy(got[at:], out)
			})
		}
		ask(0, long, opt)
		for b.Stats().Running < 2 {
			time.Sleep(time.Millisecond)
		}
		ask(2, short, soon)
		group.Wait()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("answers (-session +batcher): %s", diff)
		}
		if peak := b.Stats().Peak; peak > most {
			t.Errorf("up to %d bytes (%d slots); the bound is %d", peak, peak/slot, most)
		}
	})
}

// TestBatcherFree: the place of an answer is free when its last token is told.
func TestBatcherFree(t *testing.T) {
	s := open(t, build(t, spec{encoding: "nope"}), runtime.Options{Provider: "go"})
	b := batcher(t, s, runtime.BatcherOptions{MaxRows: 1, MaxQueue: -1})
	for i := range 300 {
		if _, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{{1, 2}}, runtime.GenerateOptions{MaxNew: 1 + i%2, Stop: []int64{}})); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
}

// TestBatcherClose: nobody waits forever.
func TestBatcherClose(t *testing.T) {
	model := build(t, spec{encoding: "nope"})
	opt := runtime.GenerateOptions{MaxNew: 1 << 14, Stop: []int64{}}
	for name, end := range map[string]func(s *runtime.Session, b *runtime.Batcher) error{
		"batcher": func(_ *runtime.Session, b *runtime.Batcher) error { return b.Close() },
		"session": func(s *runtime.Session, _ *runtime.Batcher) error { return s.Close() },
	} {
		for _, provider := range []string{"cpu", "go"} {
			t.Run(name+"/"+provider, func(t *testing.T) {
				s := open(t, model, runtime.Options{Provider: provider})
				b := batcher(t, s, runtime.BatcherOptions{MaxRows: 2})
				var group sync.WaitGroup
				for i := range 5 {
					group.Go(func() {
						if _, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{prompt(3 + i)}, opt)); !errors.Is(err, runtime.ErrClosed) {
							t.Errorf("call %d: %v", i, err)
						}
					})
				}
				for stats := b.Stats(); stats.Running < 2 || stats.Waiting < 3; stats = b.Stats() {
					time.Sleep(time.Millisecond)
				}
				if err := end(s, b); err != nil {
					t.Error(err)
				}
				group.Wait()
				if _, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{{1}}, opt)); !errors.Is(err, runtime.ErrClosed) {
					t.Errorf("afterwards: %v", err)
				}
				if err := b.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestBatcherFaults: what goes wrong with one row does so for its call alone, and what goes wrong
// with a run for those in it.
func TestBatcherFaults(t *testing.T) {
	s := open(t, build(t, spec{encoding: "rope"}), runtime.Options{Provider: spied + "go"})
	b := batcher(t, s, runtime.BatcherOptions{})
	want := generate(t, s, [][]int64{prompt(4)}, runtime.GenerateOptions{MaxNew: 20, Stop: []int64{}})
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			if i%2 == 0 {
				got, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{prompt(4)}, runtime.GenerateOptions{MaxNew: 20, Stop: []int64{}}))
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("%v: %s", err, diff)
				}
				return
			}
			mine := map[int64]float64{}
			for id := range int64(50) {
				mine[id] = math.Inf(-1)
			}
			_, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{{2}, {3}}, runtime.GenerateOptions{Sampling: runtime.Sampling{LogitBias: mine}}))
			if !errors.Is(err, runtime.ErrInput) || !strings.Contains(err.Error(), "prompt 0: the logit bias rules out every token") {
				t.Errorf("a row without tokens: %v", err)
			}
		})
	}
	group.Wait()
	first := spyOf(s).runs
	spyOf(s).fail = func(run int) bool { return run == first+3 }
	if _, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{prompt(4)}, runtime.GenerateOptions{MaxNew: 20, Stop: []int64{}})); !errors.Is(err, errSpy) {
		t.Errorf("a run that fails: %v", err)
	}
	got, err := runtime.Tokens(b.Generate(t.Context(), [][]int64{prompt(4)}, runtime.GenerateOptions{MaxNew: 20, Stop: []int64{}}))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("after a run that failed: %v: %s", err, diff)
	}
}

func TestBatcherErrors(t *testing.T) {
	s := open(t, build(t, spec{encoding: "nope", maxLength: 8}), runtime.Options{Provider: "go"})
	for _, opt := range []runtime.BatcherOptions{{MaxRows: -1}, {MaxBytes: -1}, {Chunk: -1}, {MaxRows: 1 << 40}} {
		if _, err := runtime.NewBatcher(s, opt); !errors.Is(err, runtime.ErrOptions) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	b := batcher(t, s, runtime.BatcherOptions{MaxQueue: -1})
	var none context.Context
	if _, err := runtime.Tokens(b.Generate(none, [][]int64{{1}}, runtime.GenerateOptions{})); err == nil || errors.Is(err, runtime.ErrInput) ||
		!strings.Contains(err.Error(), "the context is nil") {
		t.Errorf("no context: %v", err)
	}
	for want, err := range map[string]error{
		"there is no prompt":      second(runtime.Tokens(b.Generate(t.Context(), nil, runtime.GenerateOptions{}))),
		"takes 9 positions":       second(runtime.Tokens(b.Generate(t.Context(), [][]int64{make([]int64, 9)}, runtime.GenerateOptions{}))),
		"unknown piece":           second(runtime.Completions(b.Stream(t.Context(), texts("zebra"), runtime.GenerateOptions{}))),
		"temperature is -1":       second(runtime.Completions(b.Stream(t.Context(), texts("a"), runtime.GenerateOptions{Sampling: runtime.Sampling{Temperature: -1}}))),
		"there are 33 prompts, ":  second(runtime.Tokens(b.Generate(t.Context(), slices.Repeat([][]int64{{1}}, 33), runtime.GenerateOptions{}))),
		"stop token id is 50, th": second(runtime.Tokens(b.Generate(t.Context(), [][]int64{{1}}, runtime.GenerateOptions{Stop: []int64{50}}))),
	} {
		if !errors.Is(err, runtime.ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v is not ErrInput with %q", err, want)
		}
	}
	_, file := answering(t, "learned", 64)
	if _, err := runtime.NewBatcher(open(t, file, runtime.Options{}), runtime.BatcherOptions{}); !errors.Is(err, runtime.ErrLooped) {
		t.Errorf("a file of whole answers: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
