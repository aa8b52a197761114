package models

import (
	"fmt"

	"github.com/nopezoo/zoo/models/pe"
)

// Fit fills in what a resolved configuration leaves to what the model is trained on,
// which data describes. It is only called where something follows from it. A model that
// is made without Fit has the defaults of its encoding.
func (c Config) Fit(data func() (pe.Data, error)) (Config, error) {
	row, err := pe.Find(c.Encoding)
	if err != nil {
		return c, nil // an architecture without encodings
	}
	return c.fit(row, data)
}

func (c Config) fit(row pe.Row, data func() (pe.Data, error)) (Config, error) {
	if row.Fit == nil {
		return c, nil
	}
	d, err := data()
	if err != nil {
		return c, err
	}
	if c.EncodingParams, err = row.Fit(c.EncodingParams, d); err != nil {
		return c, fmt.Errorf("encoding_params: %w", err)
	}
	return c, nil
}
