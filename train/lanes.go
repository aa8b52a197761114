package train

import (
	"cmp"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/train/runfile"
)

// threads is the number of threads of a run on this machine, where it is not settled.
func threads(r runfile.Recipe) int { return cmp.Or(r.Threads, runtime.NumCPU()) }

// lanes is the number of lanes of a run on this machine.
func lanes(r runfile.Recipe) int {
	if r.MicroTokens == 0 {
		return 1
	}
	most := 2
	if windowLength(r) > 0 {
		most = 1
	}
	return min(cmp.Or(r.Lanes, most), threads(r), r.Batch)
}

// longWindow is how many tokens windows of text have at most whose step graph takes any length.
const longWindow = 1024

// windowLength is the tokens of windows of text that are so long that attention in blocks of queries, in graphs of that length,
// takes less memory and time; 0 for others. One run at a time is enough for them: what threads share is large.
func windowLength(r runfile.Recipe) int {
	shortest, longest, _ := strings.Cut(r.Lengths, "..")
	n, err := strconv.Atoi(shortest)
	if err != nil || shortest != longest || n <= longWindow {
		return 0
	}
	return n
}

// warnThreads says where a run that is resumed after a step has threads that are not
// known, or more than this machine has.
func warnThreads(r runfile.Recipe, step int) []error {
	here := runtime.NumCPU()
	switch {
	case r.Threads == 0 && step > 0:
		return []error{fmt.Errorf("the run does not say how many threads it began with (train.threads is 0); "+
			"it goes on with one for each of this machine's %d processors, and if they were others before, "+
			"the bits of its weights will not be those of an uninterrupted run", here)}
	case r.Threads > here:
		return []error{fmt.Errorf("the run keeps its %d threads, on which its bits depend; "+
			"this machine has %d processors, so it is slower than it could be", r.Threads, here)}
	}
	return nil
}
