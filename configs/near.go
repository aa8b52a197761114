package configs

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
)

// mostListed is how many names an error lists when it has a better answer.
const mostListed = 20

// unknown is the error for a name that is not one of the known ones.
func unknown(what, name string, known []string) error {
	near := task.Nearest(name, known)
	switch {
	case near == "":
		return fmt.Errorf("unknown %s %q; known: %s", what, name, strings.Join(known, ", "))
	case len(known) > mostListed:
		return fmt.Errorf("unknown %s %q; did you mean %q?", what, name, near)
	}
	return fmt.Errorf("unknown %s %q; did you mean %q? known: %s", what, name, near, strings.Join(known, ", "))
}
