package export

import (
	"errors"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
)

// Report is what a file says, and what can be done with it.
type Report struct {
	Bytes int `json:"bytes"`
	Info
	// Difference is what the card says of a file in another precision than float32.
	Difference    *card.Difference `json:"difference,omitempty"`
	CardProblem   string           `json:"card_problem,omitempty"`   // why there is no usable card
	ReadProblem   string           `json:"read_problem,omitempty"`   // why Read, and so the pure-Go engine, refuses the file
	SafetyProblem string           `json:"safety_problem,omitempty"` // why no engine is handed the file
}

// Inspect describes any ONNX file. For one whose weights are not those that it was written with, the error wraps
// safety.ErrDamaged, and the report is complete all the same.
func Inspect(data []byte) (Report, error) {
	info, err := ReadInfo(data)
	if err != nil {
		return Report{}, err
	}
	r := Report{Bytes: len(data), Info: info}
	c, noCard := card.Parse(info.Metadata)
	r.Difference = c.Difference
	_, unreadable := Read(data)
	_, unsafe := safety.Check(data, safety.Options{})
	r.CardProblem, r.ReadProblem, r.SafetyProblem = text(noCard), text(unreadable), text(unsafe)
	if errors.Is(unsafe, safety.ErrDamaged) {
		return r, unsafe
	}
	return r, nil
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
