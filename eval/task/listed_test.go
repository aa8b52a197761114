package task_test

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
)

// scan+paper trains on 15,997 of the 17,774 short commands, each once, and holds the
// other 1,777 out; no option moves a command to the other side. Beyond the trained
// lengths all commands are for the test.
func TestListed(t *testing.T) {
	for _, name := range []string{"scan+paper", "scan+noprefix+paper"} {
		k := lookup(t, name)
		training := map[string]bool{}
		for _, s := range k.Listed() {
			if !k.Train.Contains(s.Length) {
				t.Fatalf("%q has length %d", s.Prompt, s.Length)
			}
			training["Solve:"+strings.TrimPrefix(s.Prompt, "Solve:")] = true
		}
		held := 0
		for s := range lookup(t, "scan").Each {
			if k.Train.Contains(s.Length) && !training[s.Prompt] {
				held++
			}
		}
		if len(training) != 15_997 || len(k.Listed()) != 15_997 || held != 1_777 {
			t.Errorf("%s: %d commands to train on, %d of them different, and %d held out", name, len(k.Listed()),
				len(training), held)
		}
		rng := seeded(4)
		for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
			if at := k.SplitAt(20, split); at != split {
				t.Errorf("%s: length 20, %v draws from %v", name, split, at)
			}
			for range 100 {
				s, err := k.Sample(rng, 20, split)
				if err != nil {
					t.Fatal(err)
				}
				if training["Solve:"+strings.TrimPrefix(s.Prompt, "Solve:")] != (split == task.Train) {
					t.Fatalf("%s: %v draws %q", name, split, s.Prompt)
				}
			}
			if at := k.SplitAt(26, split); at != task.Whole {
				t.Errorf("%s: length 26, %v draws from %v", name, split, at)
			}
		}
	}
	for _, name := range []string{"scan", "copy+paper", "pcfg+paper"} {
		if lookup(t, name).Listed != nil {
			t.Errorf("%s lists its prompts", name)
		}
	}
}
