package task

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/nopezoo/zoo/tokenizer"
)

// registered are the tasks of other modules, in the order in which they came.
var registered []Task

// Names become parts of file names and of lists with commas; "+" begins an option.
var validName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Register adds a task at the end of All, for one that is written elsewhere. Call it
// from an init function: nothing locks the list. As with sql.Register, a task that is not
// complete or whose name is taken panics. A program that measures a model of the task
// needs the registration too.
func Register(t Task) {
	if err := t.check(); err != nil {
		panic(fmt.Sprintf("task: %q cannot be registered: %v", t.Name, err))
	}
	registered = append(registered, t)
}

func (t Task) check() error {
	for _, name := range append([]string{t.Name}, t.Aliases...) {
		if !validName.MatchString(name) {
			return fmt.Errorf("the name %q is not made of lower-case letters, digits and hyphens, a letter first", name)
		}
		if slices.ContainsFunc(All(), func(o Task) bool { return o.Name == name || slices.Contains(o.Aliases, name) }) {
			return fmt.Errorf("the name %q is taken", name)
		}
	}
	if t.Version < 1 {
		return fmt.Errorf("its Version is %d: want 1 or more", t.Version)
	}
	if t.Generate == nil || t.Correct == nil || t.Space == nil || t.Chance == nil {
		return errors.New("one of Generate, Correct, Space and Chance is nil")
	}
	if t.Lengths.Min < 1 || t.Lengths.Max > MaxLength || t.Train.Min > t.Train.Max {
		return fmt.Errorf("its Lengths are %v and those of Train %v: want lengths from 1 to %d",
			t.Lengths, t.Train, MaxLength)
	}
	// CheckLength looks as far as the ends.
	for _, length := range []int{t.Lengths.Min, t.Lengths.Max, t.Train.Min, t.Train.Max} {
		if !t.Lengths.Contains(length) || t.Has != nil && !t.Has(length) {
			return fmt.Errorf("the first and the last length of Lengths %v and Train %v must have prompts; %d has none",
				t.Lengths, t.Train, length)
		}
	}
	if _, err := Vocabulary(tokenizer.Words, t); err != nil {
		return fmt.Errorf("its Special and Texts: %w", err)
	}
	return nil
}
