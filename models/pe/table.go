package pe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Row describes one encoding of the table.
type Row struct {
	Name    string
	Formula string // for people, in plain text
	Source  string // paper
	// Paper are the settings of Kazemnejad et al. 2023 where they differ from
	// the defaults.
	Paper json.RawMessage
	make  func(d Dims, params json.RawMessage) (Encoding, error)
}

// Table lists every encoding. Adding one takes its file, its test and a row.
func Table() []Row {
	return []Row{
		{Name: "nope", Formula: "q·k", Source: "Kazemnejad et al. 2023, arXiv 2305.19466", make: with(newNoPE)},
		{Name: "rope", Formula: "(R_t q)·(R_j k)", Source: "Su et al. 2021, arXiv 2104.09864",
			Paper: json.RawMessage(`{"fraction":0.25,"layout":"interleaved"}`), make: with(newRoPE)},
		{Name: "alibi", Formula: "q·k − m_h(t−j)", Source: "Press et al. 2021, arXiv 2108.12409", make: with(newALiBi)},
	}
}

// with adapts a constructor with its own settings struct, refusing unknown ones.
func with[P any](f func(Dims, P) (Encoding, error)) func(Dims, json.RawMessage) (Encoding, error) {
	return func(d Dims, raw json.RawMessage) (Encoding, error) {
		var p P
		if len(raw) > 0 {
			dec := json.NewDecoder(bytes.NewReader(raw))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&p); err != nil {
				return nil, fmt.Errorf("settings %s: %w", raw, err)
			}
		}
		return f(d, p)
	}
}

// Find returns the row of a name.
func Find(name string) (Row, error) {
	var names []string
	for _, r := range Table() {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Row{}, fmt.Errorf("unknown encoding %q; known: %s", name, strings.Join(names, ", "))
}

// New makes an encoding for the given sizes. settings is a JSON object of its
// own parameters, or empty for the defaults.
func (r Row) New(d Dims, settings json.RawMessage) (Encoding, error) {
	e, err := r.make(d, settings)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", r.Name, err)
	}
	return e, nil
}
