// Package wrap says what an error is of.
package wrap

import "fmt"

// Error is an error behind what it is of, as in "score: index 3: it is no number"; nil stays nil.
func Error(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// Value is a result and Error of its error: the zero value where there is one, since what came before an error is of no use.
func Value[T any](v T, err error, format string, args ...any) (T, error) {
	if err != nil {
		var none T
		return none, Error(err, format, args...)
	}
	return v, nil
}
