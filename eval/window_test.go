package eval

import (
	"errors"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
)

// Windows lie within documents, are different, and end at the same places for every length.
func TestWindows(t *testing.T) {
	var documents [][]int64
	next := int64(0)
	for i := range 12 {
		var d []int64
		for range 30 * i {
			d, next = append(d, next), next+1 // each token is its own place
		}
		documents = append(documents, d)
	}
	var ends []int64
	for _, length := range []int{1, 8, 16, 200} {
		windows, err := drawWindows(documents, length, 200, 50, 7)
		if err != nil || len(windows) != 50 {
			t.Fatalf("%d windows, %v", len(windows), err)
		}
		var last []int64
		for _, w := range windows {
			if at := slices.Index(documents[w.Document], w.IDs[0]); at < 0 || len(w.IDs) != length+1 ||
				!slices.Equal(documents[w.Document][at:at+length+1], w.IDs) {
				t.Fatalf("length %d: %v is no part of document %d", length, w.IDs, w.Document)
			}
			last = append(last, w.IDs[length])
		}
		if ends == nil {
			ends = slices.Clone(last)
		}
		if !slices.Equal(last, ends) {
			t.Errorf("length %d: windows end at %d, and windows of 1 at %d", length, last, ends)
		}
		if slices.Sort(last); len(slices.Compact(last)) != 50 {
			t.Errorf("length %d: a window is drawn twice", length)
		}
	}
	if got := longestWindow(documents, []int{1, 239, 240, 500}); got != 239 {
		t.Errorf("the longest window that there is has %d tokens, want 239", got)
	}
	if got := longestWindow(documents, []int{500}); got != 0 {
		t.Errorf("a window of %d tokens is none of those asked for", got)
	}
	// where there are few, all of them; where too few documents are long enough, an error
	few, err := drawWindows(documents, 239, 0, 1000, 7)
	if want := 1 + 31 + 61 + 91; err != nil || len(few) != want {
		t.Errorf("%d windows, %v; want %d", len(few), err, want)
	}
	if _, err := drawWindows(documents, 240, 0, 1, 7); !errors.Is(err, task.ErrNoLength) {
		t.Errorf("error %v, want ErrNoLength", err)
	}
}
