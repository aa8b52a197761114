package runtime_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/runtime"
)

// For all that happens to the memory of states, these tests want the answers of a session for
// which it does not happen, on memory that holds NaN when it is taken.

// prompt is so many tokens for a vocabulary of 50.
func prompt(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(2 + (7*i*i+3*i)%47)
	}
	return out
}

// wantBest wants each generated token to be the best one of a full pass over its row.
func wantBest(t *testing.T, full *runtime.Session, prompts, rows [][]int64) {
	t.Helper()
	for i, row := range rows {
		logits := rowLogits(t, full, [][]int64{slices.Concat(prompts[i], row)})[0]
		for k, id := range row {
			at := len(prompts[i]) + k - 1
			// The bound allows for two nearly equal logits to change places.
			if here := logits[at*50 : (at+1)*50]; here[id] < slices.Max(here)-1e-3 {
				t.Fatalf("row %d, token %d: %d has logit %v, the best one %v", i, k, id, here[id], slices.Max(here))
			}
		}
	}
}

// TestRoom: states in place have room for a little more than what is filled, and never for
// more than the request needs. What they hold moves within its memory, and into more of it.
func TestRoom(t *testing.T) {
	model := build(t, spec{encoding: "rope"})
	for _, tc := range []struct {
		length, tokens, chunk int
		rooms, memory         []int // one after the other, in slots
	}{
		{1, 1, 0, []int{1}, []int{1}}, // no run reads the last token
		{1, 2, 0, []int{1, 2}, []int{2}},
		{60, 9, 0, []int{60, 68}, []int{68}},     // a prompt gets what it needs
		{40, 40, 0, []int{40, 79}, []int{79}},    // a limit within a step
		{100, 1, 10, []int{70, 100}, []int{100}}, // whole chunks
		{5, 300, 0, []int{5, 70, 135, 200, 265, 304}, []int{69, 140, 304}},
	} {
		for _, provider := range []string{"cpu", "go"} {
			t.Run(fmt.Sprintf("%d+%d/%s", tc.length, tc.tokens, provider), func(t *testing.T) {
				s := open(t, model, runtime.Options{Provider: spied + provider, ChunkSize: tc.chunk})
				full := open(t, model, runtime.Options{Provider: provider, ChunkSize: 1000})
				prompts := [][]int64{prompt(tc.length), prompt(tc.length)}
				prompts[1][0] = 49 // another row
				opt := runtime.GenerateOptions{MaxNew: tc.tokens, Stop: []int64{}}
				rows := generate(t, s, prompts, opt)
				wantBest(t, full, prompts, rows)
				seen := spyOf(s)
				if diff := cmp.Diff(tc.rooms, seen.rooms); diff != "" {
					t.Errorf("rooms (-want +got):\n%s", diff)
				}
				for i := range seen.memory {
					seen.memory[i] /= 2 * 4 * 8 // rows, heads, width of one
				}
				if diff := cmp.Diff(tc.memory, seen.memory); diff != "" {
					t.Errorf("memory (-want +got):\n%s", diff)
				}
				if !seen.lent {
					t.Error("past and present are not one memory")
				}
				// The next batch takes over the memory, in which all its rooms find place.
				if diff := cmp.Diff(rows, generate(t, s, prompts, opt)); diff != "" {
					t.Errorf("in the memory of the batch before (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestGenerateLong outgrows the memory first made for the states, with rows that leave the
// batch meanwhile.
func TestGenerateLong(t *testing.T) {
	everyKind(t, spec{encoding: "rope"}, spied, func(t *testing.T, model []byte, provider string) {
		s := open(t, model, runtime.Options{Provider: provider})
		limits := []int{300, 20, 170, 90}
		rows := generate(t, s, ragged(), runtime.GenerateOptions{Limits: limits, Stop: []int64{}})
		for i, row := range rows {
			if len(row) != limits[i] {
				t.Fatalf("row %d has %d tokens, want %d", i, len(row), limits[i])
			}
		}
		wantBest(t, s, ragged(), rows)
	})
}

// TestUnevenRows: a row alone and with rows that are far longer or shorter. Of the
// encodings that count slots, txl does the most with them.
func TestUnevenRows(t *testing.T) {
	everyKind(t, spec{encoding: "txl"}, spied, func(t *testing.T, model []byte, provider string) {
		rows := [][]int64{prompt(1), prompt(150), prompt(37), prompt(65)}
		for _, chunk := range []int{0, 50} {
			s := open(t, model, runtime.Options{Provider: provider, ChunkSize: chunk})
			if diff := cmp.Diff(rowLogits(t, s, rows), batchLogits(t, s, rows), close32); diff != "" {
				t.Errorf("chunks of %d (-alone +together): %s", chunk, diff)
			}
		}
	})
}

// TestRepeatedRun: a run that failed after it had written its outputs can be run again, and
// nothing shows of it. In place the slots that it filled are filled anew; other states lie in
// two memories.
func TestRepeatedRun(t *testing.T) {
	everyKind(t, spec{encoding: "alibi"}, spied, func(t *testing.T, model []byte, provider string) {
		testRepeated(t, model, provider, [][]int64{prompt(100), prompt(33)}, 20) // grows its room on the way
	})
	model, _, _ := recurrent(t)
	for _, provider := range []string{"cpu", "go"} {
		t.Run("rewritten/"+provider, func(t *testing.T) {
			testRepeated(t, model, spied+provider, [][]int64{{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}}, 1)
		})
	}
}

// testRepeated reads rows in chunks, once as they are and once with each run failing at first.
func testRepeated(t *testing.T, model []byte, provider string, rows [][]int64, chunk int) {
	s := open(t, model, runtime.Options{Provider: provider})
	var logits [2][][]float32
	for turn := range logits {
		failed := 0
		if turn == 1 {
			first := spyOf(s).runs
			spyOf(s).fail = func(run int) bool { return (run-first)%2 == 0 }
		}
		r, err := runtime.NewReader(t.Context(), s, rows)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(rows[0]); {
			got, err := r.Read(chunk)
			switch {
			case err == nil:
				logits[turn] = append(logits[turn], got...)
				at += chunk
			case errors.Is(err, errSpy):
				failed++
			default:
				t.Fatal(err)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if want := turn * len(rows[0]) / chunk; failed != want {
			t.Fatalf("%d runs failed, want %d", failed, want)
		}
	}
	if diff := cmp.Diff(logits[0], logits[1]); diff != "" {
		t.Errorf("logits, where each run failed once (-want +got):\n%s", diff)
	}
}
