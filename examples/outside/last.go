package main

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
)

const letters = "a b c d e f g h i j"

func init() { task.Register(last()) }

// last asks for the last of some letters.
//
//	Last: c a f = ⏵ f
func last() task.Task {
	list := strings.Fields(letters)
	return task.Task{
		Name: "last", Version: 1,
		Description: "name the last of some letters; the length is their number",
		Train:       task.Range{Min: 3, Max: 8},
		Beyond:      task.Range{Min: 9, Max: 16},
		Lengths:     task.Range{Min: 1, Max: task.MaxLength},
		Texts:       []string{"Last: " + letters + " = " + letters}, // every token there is
		Prefix:      "Last:",
		Generate: func(rng *rand.Rand, length int) task.Sample {
			drawn := make([]string, length)
			for i := range drawn {
				drawn[i] = list[rng.IntN(len(list))]
			}
			return task.Sample{Prompt: "Last: " + strings.Join(drawn, " ") + " = ", Target: drawn[length-1],
				Length: length}
		},
		Correct: func(target, generated string) bool { return strings.TrimSpace(generated) == target },
		Space:   func(length int) float64 { return math.Pow(float64(len(list)), float64(length)) },
		Chance:  func(int) float64 { return 1 / float64(len(list)) },
	}
}
