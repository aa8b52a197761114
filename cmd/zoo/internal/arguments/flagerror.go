package arguments

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// FlagError words what is wrong with a flag.
func FlagError(c *cobra.Command, err error) error {
	see := "see: " + c.CommandPath() + " --help"
	var (
		missing *pflag.NotExistError
		value   *pflag.InvalidValueError
		none    *pflag.ValueRequiredError
		syntax  *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &missing):
		return unknownFlag(c, missing, see)
	case errors.As(err, &value):
		return fmt.Errorf("--%s %s: want %s; %s", value.GetFlag().Name, strconv.Quote(value.GetValue()), wanted(value),
			see)
	case errors.As(err, &none):
		return fmt.Errorf("--%s lacks its value, %s; %s", none.GetFlag().Name, flagKind(none.GetFlag()), see)
	case errors.As(err, &syntax):
		return fmt.Errorf("%s is no flag; %s", syntax.GetSpecifiedFlag(), see)
	}
	return fmt.Errorf("%w; %s", err, see)
}

// alsoCalled are what other programs call flags.
var alsoCalled = map[string]string{
	"encoding": "pe", "encodings": "pe", "position-embedding": "pe", "learning-rate": "lr", "batch-size": "batch", "epochs": "steps",
	"iterations": "steps", "port": "addr", "host": "addr", "device": "provider", "out": "output", "precision": "dtype",
	"tasks": "task", "length": "lengths", "seq-len": "lengths", "max-tokens": "max-new", "max-new-tokens": "max-new",
}

func unknownFlag(c *cobra.Command, missing *pflag.NotExistError, see string) error {
	// A word after one dash is read as letters, each a flag; it may be meant as one.
	name, given := missing.GetSpecifiedName(), "--"+missing.GetSpecifiedName()
	if letters := missing.GetSpecifiedShortnames(); letters != "" {
		name, given = letters, "-"+letters
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	near := alsoCalled[name]
	if !slices.Contains(known, near) {
		near = suggest.Nearest(name, known)
	}
	if near != "" && len(name) > 1 {
		see = "did you mean --" + near + "? " + see
	}
	return fmt.Errorf("unknown flag %s; %s", given, see)
}

// wanted names the values of a flag that was given another.
func wanted(e *pflag.InvalidValueError) string {
	if errors.Is(e, strconv.ErrRange) {
		return flagKind(e.GetFlag()) + " that is not so large"
	}
	return flagKind(e.GetFlag())
}

// flagKind names the values of a flag, in the words of settings.
func flagKind(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "true or false, or no value"
	case "int", "int64":
		return "a whole number"
	case "uint", "uint64":
		return "a whole number of 0 or more"
	case "float64":
		return "a number"
	case "duration":
		return "a time such as 30s or 5m"
	case "intSlice":
		return "whole numbers with commas"
	case "uintSlice":
		return "whole numbers of 0 or more, with commas"
	case "stringSlice":
		return "words with commas"
	}
	return "text"
}
