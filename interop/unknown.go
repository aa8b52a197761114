package interop

import (
	"fmt"
	"strings"
)

// UnknownError is the error for a name in a folder that is not one of those that
// could stand there. The known ones are for a caller that looks for the nearest.
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
