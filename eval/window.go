package eval

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
)

// window is a part of a document.
type window struct {
	Document int     // its index among those given
	IDs      []int64 // one token more than the length: each but the first is predicted from those before it
}

// longestWindow returns the longest of lengths that at least task.MinDocuments documents have, 0 for none.
func longestWindow(documents [][]int64, lengths []int) int {
	longest := 0
	for _, length := range lengths {
		long := 0
		for _, d := range documents {
			if len(d) > length {
				long++
			}
		}
		if long >= task.MinDocuments {
			longest = max(longest, length)
		}
	}
	return longest
}

// drawWindows draws n different windows of a length in tokens, or all there are if they are fewer, each
// within one of the documents. Where a window ends is drawn from all the text, and counts if the
// document goes back as far as the longest of the windows that are compared: so the same seed and
// the same longest give windows of all lengths that end at the same places. A longest below length
// stands for length. The error wraps task.ErrNoLength where fewer than task.MinDocuments documents are
// long enough.
func drawWindows(documents [][]int64, length, longest, n int, seed uint64) ([]window, error) {
	longest = max(longest, length)
	starts := make([]int, len(documents)+1) // of documents in all the text
	long, places := 0, 0
	for i, d := range documents {
		starts[i+1] = starts[i] + len(d)
		if len(d) > longest {
			long++
			places += len(d) - longest
		}
	}
	if long < task.MinDocuments {
		return nil, fmt.Errorf("%w: %d of %d documents have more than %d tokens; at least %d must", task.ErrNoLength,
			long, len(documents), longest, task.MinDocuments)
	}
	windowTo := func(end int) (window, bool) {
		i, found := slices.BinarySearch(starts, end)
		if !found {
			i--
		}
		for len(documents[i]) == 0 {
			i++
		}
		at := end - starts[i]
		if at < longest {
			return window{}, false
		}
		return window{i, documents[i][at-length : at+1]}, true
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	all := starts[len(documents)]
	var out []window
	if places < 4*n { // most of them: to draw until they are found would take long
		for _, end := range rng.Perm(all) {
			if w, ok := windowTo(end); ok && len(out) < n {
				out = append(out, w)
			}
		}
		return out, nil
	}
	for seen := map[int]bool{}; len(out) < n; {
		end := rng.IntN(all)
		if w, ok := windowTo(end); ok && !seen[end] {
			seen[end], out = true, append(out, w)
		}
	}
	return out, nil
}
