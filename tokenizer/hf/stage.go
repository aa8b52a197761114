package hf

import (
	"context"
	"encoding/json"
	"fmt"
)

// stage is a step of a pipeline, of texts, of pieces or of tokens. It ends with the walk's context, whose cause is then the
// error, and may not add more than the walk has room for.
type stage[T any] func(w *walk, v T) (T, error)

// plain is a stage that takes no more time than reading v.
func plain[T any](f func(T) T) stage[T] {
	return func(_ *walk, v T) (T, error) { return f(v), nil }
}

// same is the stage of a part that a file leaves out.
func same[T any](_ *walk, v T) (T, error) { return v, nil }

// inTurn runs stages one after the other.
func inTurn[T any](stages ...stage[T]) stage[T] {
	return func(w *walk, v T) (T, error) {
		for _, f := range stages {
			var err error
			if v, err = f(w, v); err != nil {
				return v, err
			}
		}
		return v, nil
	}
}

// metered is inTurn that counts what each stage looks at and adds. Size returns the bytes of a value, and its items.
func metered[T any](size func(T) (bytes, items int), stages ...stage[T]) stage[T] {
	return func(w *walk, v T) (T, error) {
		before, items := size(v)
		for _, f := range stages {
			err := w.look(before + items + 1)
			if err == nil {
				v, err = f(w, v)
			}
			after, n := size(v)
			if err == nil {
				err = w.grow(after - before)
			}
			if err != nil {
				return v, err
			}
			before, items = after, n
		}
		return v, nil
	}
}

// Bounds of a pipeline. Published files have one Sequence in another at most, and some twenty parts.
const (
	mostNested = 16 // Sequences within one another
	mostParts  = 1 << 10
)

// flat returns the parts of a part that may be a Sequence, and of those within it, in order. List is the field that a
// Sequence has them in. Of a part that is left out there are none.
func flat(raw json.RawMessage, list string) ([]json.RawMessage, error) {
	return flatten(nil, raw, list, 0)
}

func flatten(out []json.RawMessage, raw json.RawMessage, list string, depth int) ([]json.RawMessage, error) {
	if absent(raw) {
		return out, nil
	}
	var fields map[string]json.RawMessage
	kind, err := typeOf(raw, &fields)
	switch {
	case err != nil:
		return nil, err
	case kind != "Sequence" && len(out) == mostParts:
		return nil, fmt.Errorf("it has more than %d parts", mostParts)
	case kind != "Sequence":
		return append(out, raw), nil
	case depth == mostNested:
		return nil, fmt.Errorf("it has more than %d Sequences within one another", mostNested)
	}
	if absent(fields[list]) {
		return nil, fmt.Errorf("type %q: it has no %s", kind, list)
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(fields[list], &parts); err != nil {
		return nil, fmt.Errorf("type %q: %s: %w", kind, list, err)
	}
	for _, part := range parts {
		if out, err = flatten(out, part, list, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pipeline has each part read, and runs them one after the other.
func pipeline[T any](raw json.RawMessage, list string, size func(T) (bytes, items int), read func(json.RawMessage) (stage[T], error)) (stage[T], error) {
	parts, err := flat(raw, list)
	if err != nil {
		return nil, err
	}
	stages := make([]stage[T], len(parts))
	for i, part := range parts {
		if stages[i], err = read(part); err != nil {
			return nil, err
		}
	}
	return metered(size, stages...), nil
}

// looked is how many pieces are cut or encoded between two looks at a context.
const looked = 1 << 12

// over returns the cause once the context has ended, nil before.
func over(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
