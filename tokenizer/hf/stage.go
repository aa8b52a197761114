package hf

import "context"

// stage is a step of the pipeline. It ends with the context, whose cause is then the error.
type stage[T any] func(ctx context.Context, v T) (T, error)

// plain is a stage that takes no more time than reading v.
func plain[T any](f func(T) T) stage[T] {
	return func(_ context.Context, v T) (T, error) { return f(v), nil }
}

// same is the stage of a part that a file leaves out.
func same[T any](_ context.Context, v T) (T, error) { return v, nil }

// inTurn runs stages one after the other.
func inTurn[T any](stages ...stage[T]) stage[T] {
	return func(ctx context.Context, v T) (T, error) {
		for _, f := range stages {
			var err error
			if v, err = f(ctx, v); err != nil {
				return v, err
			}
		}
		return v, nil
	}
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
