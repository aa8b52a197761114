package task

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
)

// listing is the paper's division of a task whose prompts can be listed (SCAN): of
// those at the trained lengths one in ten is held out, and the others are the
// training set, each of them once. Which ones the paper held out is not known;
// here it is those whose hashes are the smallest.
type listing struct {
	training []Sample // in the order of their hashes
	first    uint64   // the hash of the first
}

func (t Task) list() listing {
	all := map[uint64]Sample{}
	for s := range t.Each {
		if t.Train.Contains(s.Length) {
			all[t.hash(s.Prompt)] = s
		}
	}
	hashes := slices.Sorted(maps.Keys(all))[len(all)/10:]
	out := listing{first: hashes[0]}
	for _, h := range hashes {
		out.training = append(out.training, all[h])
	}
	return out
}

// hash is a number of the prompt without options: they move it to no other split.
func (t Task) hash(prompt string) uint64 {
	sum := sha256.Sum256([]byte(t.withoutOptions(prompt)))
	return binary.BigEndian.Uint64(sum[:])
}

// Listed returns the training set of a task whose paper trains on a list of
// different prompts, each of them once an epoch; nil for tasks that draw their
// prompts. Only the option "paper" gives it, to a task with Each.
func (t Task) Listed() []Sample {
	if t.listed == nil {
		return nil
	}
	return t.listed().training
}
