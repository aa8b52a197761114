package task

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/nopezoo/zoo/internal/lists"
)

// trainingList is the paper's division of a task whose prompts can be listed (SCAN): of the
// prompts at trained lengths one in ten is held out, and the others are the training set, each
// of them once. Which ones the paper held out is not known; here they have the smallest hashes.
// The list is in the order of the hashes.
func (t Task) trainingList() []Sample {
	all := map[uint64]Sample{}
	for s := range t.Each {
		if t.Train.Contains(s.Length) {
			all[t.hash(s.Prompt)] = s
		}
	}
	return lists.Map(slices.Sorted(maps.Keys(all))[len(all)/10:], func(h uint64) Sample { return all[h] })
}

// hash is a number of the prompt without options: they move it to no other split.
func (t Task) hash(prompt string) uint64 {
	sum := sha256.Sum256([]byte(t.withoutOptions(prompt)))
	return binary.BigEndian.Uint64(sum[:])
}
