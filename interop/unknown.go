package interop

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
)

// UnknownError is the error for a name in a folder that is not one of those that
// could stand there.
type UnknownError struct {
	What, Name string
	Known      []string
}

// Error implements error. It lists the known names unless they are many.
func (e *UnknownError) Error() string {
	const most = 40
	if len(e.Known) > most {
		return fmt.Sprintf("unknown %s %q", e.What, e.Name)
	}
	return fmt.Sprintf("unknown %s %q; known: %s", e.What, e.Name, strings.Join(e.Known, ", "))
}

// withNearest adds the nearest known name to a complaint about an unknown one.
func withNearest(err error) error {
	var u *UnknownError
	if !errors.As(err, &u) {
		return err
	}
	if near := task.Nearest(u.Name, u.Known); near != "" {
		return fmt.Errorf("%w; did you mean %q instead of %q?", err, near, u.Name)
	}
	return err
}
