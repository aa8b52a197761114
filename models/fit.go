package models

import (
	"fmt"

	"github.com/nopezoo/zoo/models/pe"
)

// Fit fills in and checks the settings, with what follows from the data that the model is trained on. data is only
// called where something does. A model that is made without Fit has the defaults of its encoding.
func (c Config) Fit(data func() (pe.Data, error)) (Config, error) {
	if c.TrainedLength == 0 && c.scaleCounts() {
		d, err := data()
		if err != nil {
			return c, fmt.Errorf("trained_length: %w", err)
		}
		c.TrainedLength = d.Longest
	}
	c, _, err := c.resolve()
	if err != nil {
		return c, err
	}
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
