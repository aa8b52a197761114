package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/nopezoo/zoo/eval"
)

// writeCSV writes a line of names, as in the JSON form and in its order, and a line
// per row. A field that a row lacks is empty; lists and maps are JSON.
func writeCSV(w io.Writer, rows []eval.Row) error {
	c := csv.NewWriter(w)
	names := fieldNames(reflect.TypeFor[eval.Row]())
	if err := c.Write(names); err != nil {
		return fmt.Errorf("report: csv: %w", err)
	}
	for i, row := range rows {
		line, err := csvLine(row, names)
		if err != nil {
			return fmt.Errorf("report: csv: row %d: %w", i, err)
		}
		if err := c.Write(line); err != nil {
			return fmt.Errorf("report: csv: %w", err)
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("report: csv: %w", err)
	}
	return nil
}

// fieldNames lists the JSON names of a struct's fields, embedded ones in place.
func fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, fieldNames(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func csvLine(row eval.Row, names []string) ([]string, error) {
	data, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	line := make([]string, len(names))
	for i, name := range names {
		raw := fields[name]
		var text string
		if json.Unmarshal(raw, &text) == nil {
			line[i] = text // null too, which leaves it empty
		} else {
			line[i] = string(raw)
		}
	}
	return line, nil
}
