package eval

import (
	"context"
	"errors"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/wrap"
)

// measurement says what is measured of a model: samples of a task (Config), windows of running text
// (TextConfig), or speed without a task (SpeedConfig).
type measurement interface {
	// label names the model and what is measured, for errors.
	label(span task.Span) string
	// row is all that is known before measuring.
	row(c card.Card, span task.Span) Row
	// ask notes in a row what a measured row has in its key.
	ask(r *Row)
	// check reports a setting or a length that cannot be measured.
	check(span task.Span) error
	// measure fills in the measurements. Without a model it tells no more than whether the length is available.
	measure(ctx context.Context, m Model, c card.Card, span task.Span, r *Row) error
}

// Measure measures a model at a length, or at a bin of lengths of a task. A length that the model cannot take (its
// card's maximum, or ErrTooLong), or that the task, the split or the corpus does not have, gives a row with NA
// set. Without a model the row tells no more than whether the length is available, as far as that is known beforehand.
func Measure(ctx context.Context, m Model, c card.Card, what measurement, span task.Span) (Row, error) {
	row := Row{}
	err := what.check(span)
	if ctx == nil {
		err = errors.New("the context is nil")
	}
	if err == nil {
		row = what.row(c, span)
		err = what.measure(ctx, m, c, span, &row)
	}
	if errors.Is(err, ErrTooLong) || errors.Is(err, task.ErrNoLength) || errors.Is(err, task.ErrNoSplit) && row.Measure == MeasureAccuracy {
		row.NA, row.Untimed, row.Reason = true, false, err.Error()
		if errors.Is(err, ErrTooLong) && c.Pretrained.Declares(c.MaxLength) {
			row.Reason += " (--beyond lets it be longer)"
		}
		err = nil
	}
	return row, wrap.Error(err, "eval: %s", what.label(span))
}

// KeyOf returns the key of the row that Measure would give.
func KeyOf(c card.Card, what measurement, span task.Span) Key {
	r := what.row(c, span)
	what.ask(&r)
	return r.Key()
}
