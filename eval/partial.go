package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// lineStart is how every line begins that Write wrote.
const lineStart = `{"schema":`

// ReadPartial is Read for a file of rows, or of observations, whose writer may have been stopped in
// the middle of a line: a last line that breaks off is left out. complete is the
// length in bytes of what is complete, to which the file is to be cut before
// more is appended. A last line that only lacks its end is complete; closed
// tells whether it has one. What does not look like the start of a row is an
// error, as in Read.
func ReadPartial[T Row | Observation](r io.Reader) (all []T, complete int64, closed bool, err error) {
	switch list := any(&all).(type) {
	case *[]Row:
		*list, complete, closed, err = readPartial(r, "results", "row", readRows)
	case *[]Observation:
		*list, complete, closed, err = readPartial(r, "observations", "observation", readObservations)
	}
	return all, complete, closed, err
}

func readPartial[T any](r io.Reader, file, noun string, read func(io.Reader) ([]T, error)) (all []T, complete int64, closed bool, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, 0, false, fmt.Errorf("eval: %s: %w", file, err)
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	last := data[end:]
	all, err = read(bytes.NewReader(data[:end]))
	if err != nil || len(bytes.TrimSpace(last)) == 0 {
		return all, int64(len(data)), end == len(data), err
	}
	tail, broken := read(bytes.NewReader(last))
	switch {
	case broken == nil:
		return append(all, tail...), int64(len(data)), false, nil
	case tornLine(last):
		return all, int64(end), true, nil
	}
	return all, int64(end), true, fmt.Errorf("eval: the last line of the %s is no %s: %w", file, noun, broken)
}

// tornLine reports whether line is a record that breaks off.
func tornLine(line []byte) bool {
	n := min(len(line), len(lineStart))
	var v json.RawMessage
	err := json.NewDecoder(bytes.NewReader(line)).Decode(&v)
	return string(line[:n]) == lineStart[:n] && errors.Is(err, io.ErrUnexpectedEOF)
}
