package train

import (
	"fmt"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/train/runfile"
)

// listed returns what task i trains on where that is a list of different prompts
// (see task.Task.Listed), at its lengths; nil where it is not.
func listed(d runfile.Data, i int) []task.Sample {
	if d.Tasks[i].Listed == nil {
		return nil
	}
	return lists.Filter(d.Tasks[i].Listed(), func(s task.Sample) bool { return d.Lengths[i].Contains(s.Length) })
}

// checkExamples wants a fixed set that is no larger than the lists of its tasks.
func checkExamples(d runfile.Data, n int) error {
	for i, t := range d.Tasks {
		if n == 0 || t.Listed == nil {
			continue
		}
		if have := len(listed(d, i)); (n-i+len(d.Tasks)-1)/len(d.Tasks) > have {
			return fmt.Errorf("train.examples %d: task %s has %d different ones at the lengths %s; give at most %d",
				n, t.Name, have, d.Lengths[i], have*len(d.Tasks))
		}
	}
	return nil
}
