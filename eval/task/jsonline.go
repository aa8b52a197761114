package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/internal/jsontext"
)

// readLine reads a line of JSON, of which form is an example. What encoding/json would change without an error is one.
func readLine(line string, to any, form string) error {
	if err := jsontext.Check([]byte(line)); err != nil {
		return err
	}
	err := json.Unmarshal([]byte(line), to)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%s is of kind %s; want a line such as %s", strings.ToLower(kind.Field), kind.Value, form)
	case errors.As(err, &kind):
		return fmt.Errorf("is of kind %s; want a line such as %s", kind.Value, form)
	case err != nil:
		return fmt.Errorf("is not JSON (%w); want a line such as %s", err, form)
	}
	return nil
}
