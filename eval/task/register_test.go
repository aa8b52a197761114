package task_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
)

// lights repeats a row of lights, on or off.
func lights() task.Task {
	form := func(on []string) string { return strings.Join(on, " ") }
	return task.Task{
		Name: "lights", Version: 1, Description: "repeat a row of lights, on or off; the length is their number",
		Train: task.Range{Min: 8, Max: 10}, Lengths: task.Range{Min: 1, Max: 100},
		Texts:  []string{"on off = on off"},
		Space:  func(length int) float64 { return math.Pow(2, float64(length)) },
		Chance: func(length int) float64 { return math.Pow(0.5, float64(length)) },
		Generate: func(rng *rand.Rand, length int) task.Sample {
			on := make([]string, length)
			for i := range on {
				on[i] = []string{"on", "off"}[rng.IntN(2)]
			}
			return task.Sample{Prompt: form(on) + " = ", Target: form(on), Length: length}
		},
		Correct: func(target, generated string) bool { return strings.TrimSpace(generated) == target },
	}
}

// The tests of this package are about its own tasks, so nothing is registered here;
// examples/outside is a program that registers a task and runs it.
func ExampleRegister() {
	task.Register(lights()) // in an init function
	t, err := task.Lookup("lights")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Sample(rand.New(rand.NewPCG(1, 2)), 9, task.Test))
}

func TestRegisterRefuses(t *testing.T) {
	for want, change := range map[string]func(k *task.Task){
		`the name "" is not`:             func(k *task.Task) { k.Name = "" },
		`the name "a+full" is not`:       func(k *task.Task) { k.Name = "a+full" },
		`the name "copy" is taken`:       func(k *task.Task) { k.Name = "copy" },
		`the name "copy-cmc" is taken`:   func(k *task.Task) { k.Aliases = []string{"copy-cmc"} },
		"its Version is 0":               func(k *task.Task) { k.Version = 0 },
		"Generate, Correct, Space":       func(k *task.Task) { k.Chance = nil },
		"want lengths from 1 to 1048576": func(k *task.Task) { k.Lengths = task.Range{} },
		"101 has none":                   func(k *task.Task) { k.Train.Max = 101 },
		"100 has none":                   func(k *task.Task) { k.Has = func(n int) bool { return n < 100 } },
		"its Special and Texts":          func(k *task.Task) { k.Texts = []string{"a\xff"} },
	} {
		k := lights()
		change(&k)
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			task.Register(k)
		}()
	}
}
