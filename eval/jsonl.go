package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds one line of a result file, in bytes.
const maxLine = 1 << 20

// Write writes each row, or each observation, as one line of JSON. Appending to what was written
// before gives a valid file.
func Write[T Row | Observation](w io.Writer, all ...T) error {
	noun, check := "row", func(v any) error {
		r := v.(Row)
		return r.json().check()
	}
	if _, ok := any(all).([]Observation); ok {
		noun, check = "observation", func(v any) error {
			o := v.(Observation)
			return o.check()
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i, v := range all {
		if err := check(v); err != nil {
			return fmt.Errorf("eval: %s %d: %w", noun, i, err)
		}
		if err := e.Encode(v); err != nil {
			return fmt.Errorf("eval: %s %d: %w", noun, i, err)
		}
	}
	return nil
}

// readRows reads rows that Write wrote.
func readRows(r io.Reader) ([]Row, error) {
	return readLines(r, "results", "row", func(line []byte) (Row, error) {
		var row rowJSON
		if err := json.Unmarshal(line, &row); err != nil {
			return Row{}, err
		}
		return row.row(), row.check()
	})
}

// readLines reads what Write wrote, a value from each line that is not empty. An error has
// the line's number; the values before it are returned with it.
func readLines[T any](r io.Reader, file, noun string, value func(line []byte) (T, error)) ([]T, error) {
	var all []T
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		line := lines.Bytes()
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff")) // PowerShell writes the mark before a text
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		v, err := value(line)
		if err != nil {
			return all, fmt.Errorf("eval: %s line %d: %w", file, number, err)
		}
		all = append(all, v)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return all, fmt.Errorf("eval: %s line %d is longer than %d bytes: no %s is", file, number+1, maxLine, noun)
	} else if err != nil {
		return all, fmt.Errorf("eval: %s line %d: %w", file, number+1, err)
	}
	return all, nil
}

// check is what readers of a row rely on.
func (j rowJSON) check() error {
	r := j.row()
	if err := r.checkTexts(); err != nil {
		return err
	}
	switch m := r.measure(); {
	case r.Schema == 0:
		return errors.New("no schema: no row of results, such as zoo bench writes")
	case r.Schema < 1 || r.Schema > RowSchema:
		return fmt.Errorf("schema is %d, this program reads 1 to %d", r.Schema, RowSchema)
	case m != MeasureAccuracy && m != MeasureSpeed && m != MeasureText:
		return fmt.Errorf("measure is %q, expected %q, %q or %q", m, MeasureAccuracy, MeasureSpeed, MeasureText)
	case r.TrainMin < 0 || r.TrainMax < r.TrainMin:
		return fmt.Errorf("trained lengths are %d to %d, expected an ascending range, or 0 to 0 for none",
			r.TrainMin, r.TrainMax)
	case (r.Task == "") != (m == MeasureSpeed) || r.Length < 1 || float64(r.Length) > mostOfAnything:
		return fmt.Errorf("task is %q and length %d, expected a name (none for %s) and a number from 1 to %g",
			r.Task, r.Length, MeasureSpeed, mostOfAnything)
	case r.LengthMin < 0 || r.LengthMin > 0 && (m == MeasureSpeed || r.LengthMin >= r.Length):
		return fmt.Errorf("length_min is %d and length %d, expected a bin of a task's lengths, or no length_min",
			r.LengthMin, r.Length)
	case r.Depth != nil && (m != MeasureAccuracy || *r.Depth < 0 || *r.Depth > 100):
		return fmt.Errorf("depth is %d, expected 0 to 100 percent of a task's text", *r.Depth)
	case r.NA && (j.Score != nil || j.Speed != nil || j.Cost != nil || j.Text != nil):
		return errors.New("na is true but there are measurements")
	case r.NA:
		return nil
	case (j.Text != nil) != (m == MeasureText):
		return fmt.Errorf("measurements of running text are missing, or those of a row of %s", m)
	case m == MeasureText:
		if j.Score != nil || j.Speed != nil || j.Cost != nil || r.LengthMin > 0 {
			return errors.New("a row of running text has a bin of lengths, or measurements of samples or speed")
		}
		return r.Text.check()
	case r.LengthMin > 0 && !r.Untimed:
		return errors.New("a bin has times, but those of several lengths together are of none")
	case r.Untimed && (j.Speed != nil || m == MeasureSpeed):
		return errors.New("untimed is true but there are times, or it is a row of speed")
	case (j.Speed == nil) != r.Untimed || (j.Score == nil) != (m == MeasureSpeed) ||
		(j.Cost == nil) != (m == MeasureAccuracy):
		return fmt.Errorf("na is false but measurements are missing, or not those of %s", m)
	case j.Score != nil && (r.N < 1 || !possible(r.Correct, r.N)):
		return fmt.Errorf("%d correct of %d samples is impossible", r.Correct, r.N)
	case j.Score != nil && !possible(r.TokensCorrect, r.Tokens):
		return fmt.Errorf("%d correct of %d tokens is impossible", r.TokensCorrect, r.Tokens)
	}
	if j.Speed == nil {
		return nil
	}
	return r.Speed.check()
}

// mostOfAnything bounds what a row counts and times: far above all that can be
// measured, and such that sums and charts of it stay finite.
const mostOfAnything = 1e15

func possible(correct, total int) bool {
	return 0 <= correct && correct <= total && float64(total) <= mostOfAnything
}

// check is what readers rely on of times and rates.
func (s *Speed) check() error {
	for _, c := range []struct {
		name  string
		value float64
	}{
		{"prefill_ms", s.PrefillMS}, {"decode_p50_ms", s.DecodeP50MS},
		{"tokens_per_second", s.TokensPerSecond}, {"peak_memory_bytes", float64(s.PeakMemory)},
	} {
		if !(c.value >= 0 && c.value <= mostOfAnything) {
			return fmt.Errorf("%s is %g, expected a number from 0 to %g", c.name, c.value, mostOfAnything)
		}
	}
	return nil
}
