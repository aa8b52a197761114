package human

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Error writes an error for people: files and keys instead of the system calls of package os and the Go types of
// package encoding/json ("lstat x", "json: unknown field").
func Error(err error) string {
	text := err.Error()
	walk(err, func(e error) {
		switch e := e.(type) {
		case *fs.PathError:
			short := e.Path + ": " + e.Err.Error()
			text = strings.ReplaceAll(text, e.Error(), short)
			// An error around it may name the file, too.
			text = strings.TrimPrefix(strings.ReplaceAll(" "+text, " "+e.Path+": "+short, " "+short), " ")
		case *os.LinkError:
			text = strings.ReplaceAll(text, e.Error(), fmt.Sprintf("%s, from %s: %v", e.New, e.Old, e.Err))
		case *json.SyntaxError:
			text = strings.ReplaceAll(text, e.Error(), fmt.Sprintf("it is no JSON: %s, at byte %d", e.Error(), e.Offset))
		case *json.UnmarshalTypeError:
			text = strings.ReplaceAll(text, e.Error(), mistyped(e))
		}
	})
	return strings.ReplaceAll(text, "json: unknown field ", "unknown key ")
}

// walk visits an error and all errors in it.
func walk(err error, visit func(error)) {
	if err == nil {
		return
	}
	visit(err)
	switch w := err.(type) {
	case interface{ Unwrap() error }:
		walk(w.Unwrap(), visit)
	case interface{ Unwrap() []error }:
		for _, e := range w.Unwrap() {
			walk(e, visit)
		}
	}
}

// mistyped says which JSON has the wrong type, and which type is wanted.
func mistyped(e *json.UnmarshalTypeError) string {
	var path []string
	parts := strings.Split(e.Field, ".")
	for i, part := range parts {
		// A struct within another one has a part of its own, its name in Go, which has capitals.
		if i == len(parts)-1 || strings.ToLower(part) == part {
			path = append(path, part)
		}
	}
	key := "the value"
	if e.Field != "" {
		key = fmt.Sprintf("the key %q", strings.Join(path, "."))
	}
	return fmt.Sprintf("%s has a JSON %s, at byte %d, want %s", key, e.Value, e.Offset, wanted(e))
}

// wanted names a Go type as JSON does.
func wanted(e *json.UnmarshalTypeError) string {
	switch kind := e.Type.Kind().String(); {
	case strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "bool":
		return "true or false"
	case kind == "string":
		return "a string"
	case kind == "slice" || kind == "array":
		return "an array"
	}
	return "an object"
}
