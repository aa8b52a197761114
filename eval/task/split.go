package task

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
)

// Split is a part of all the prompts there are.
type Split int

// The splits. A prompt belongs to exactly one of the first three. The zero value
// is none of them, so that a forgotten choice is an error.
const (
	Train      Split = iota + 1 // 80 % of the prompts
	Validation                  // 10 %
	Test                        // 10 %
	Whole                       // every prompt
)

var splitNames = [...]string{Train: "train", Validation: "validation", Test: "test", Whole: "whole"}

// String returns the split's name.
func (s Split) String() string {
	if !s.Valid() {
		return fmt.Sprintf("Split(%d)", int(s))
	}
	return splitNames[s]
}

// Valid reports whether s is one of the constants.
func (s Split) Valid() bool { return s >= Train && s <= Whole }

// ParseSplit returns the split of a name.
func ParseSplit(name string) (Split, error) {
	for s := Train; s.Valid(); s++ {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("unknown split %q: known: train, validation, test, whole", name)
}

// SplitOf returns the split of a prompt: Test, Validation or Train by the first
// 8 bytes of its SHA-256, big-endian, modulo 10 being 0, 1 or more. It depends
// on nothing else, so no training run of any seed sees a test prompt.
func SplitOf(prompt string) Split {
	sum := sha256.Sum256([]byte(prompt))
	switch binary.BigEndian.Uint64(sum[:]) % 10 {
	case 0:
		return Test
	case 1:
		return Validation
	}
	return Train
}

// MinSpace is how many prompts a length must have to be divided into splits.
// With fewer a split would hold a handful of them, or none.
const MinSpace = 100

// SplitAt returns what SampleSplit draws from when split is asked for: Whole
// where nothing is held out, because the length has too few prompts or because
// of the option "paper", else split. It belongs into every record of a
// measurement.
func (t Task) SplitAt(length int, split Split) Split {
	overlap := t.Overlap && (t.listed == nil || !t.Train.Contains(length))
	if split.Valid() && (overlap || t.Space(length) < MinSpace) {
		return Whole
	}
	return split
}

// holds reports whether a sample is in one of the first three splits.
func (t Task) holds(split Split, s Sample) bool {
	if t.listed != nil {
		return (split == Train) == (t.hash(s.Prompt) >= t.listed().first)
	}
	return SplitOf(t.dropped+s.Prompt) == split // options move no prompt to another split
}

// ErrNoSplit is returned (wrapped) by SampleSplit when no prompt of the split was
// found.
var ErrNoSplit = errors.New("no prompt of this split")

// splitTries bounds SampleSplit. A split that holds a tenth of the prompts is
// missed in 500 draws with a probability of 1e-23.
const splitTries = 500

// SampleSplit draws samples until one lies in the split that SplitAt gives. When
// none does, the error wraps ErrNoSplit; Whole always succeeds.
func SampleSplit(t Task, rng *rand.Rand, length int, split Split) (Sample, error) {
	if !split.Valid() {
		return Sample{}, fmt.Errorf("task %s: no split was chosen: %v", t.Name, split)
	}
	split = t.SplitAt(length, split)
	for range splitTries {
		s, err := t.Sample(rng, length)
		if err != nil {
			return Sample{}, err
		}
		if split == Whole || t.holds(split, s) {
			return s, nil
		}
	}
	return Sample{}, fmt.Errorf("task %s: length %d: %w: none of %d draws is in %q; choose another length, or the split %q",
		t.Name, length, ErrNoSplit, splitTries, split, Whole)
}
