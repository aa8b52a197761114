package models

import (
	"fmt"
	"math"

	"github.com/nopezoo/zoo/models/pe"
)

// headNormEps is what the papers' code adds in the norm of what a head gives: DeltaNet's
// (fla-org/flash-linear-attention, GatedDeltaNet) and differential attention's (microsoft/unilm).
const headNormEps = 1e-5

// Renew fills in the defaults of new configurations where settings that are absent have an
// older meaning in stored ones: package configs calls it for what people write. The configuration
// must be resolved. data describes what the model is trained on, as for Fit.
func (c Config) Renew(data func() (pe.Data, error)) (Config, error) {
	delta := c.Architecture == deltaArchitecture
	if delta && c.Conv > 1 && c.ConvStd == 0 {
		c.ConvStd = 1 / math.Sqrt(3*float64(c.Conv)) // PyTorch's, of one channel
	}
	if (delta || c.Attention == differential) && c.HeadNormEps == 0 {
		c.HeadNormEps = headNormEps
	}
	if c.byLayer() == "" {
		return c, nil
	}
	row, err := c.encodingRow()
	if err != nil {
		return c, err
	}
	if row.Renew != nil {
		if c.EncodingParams, err = row.Renew(c.EncodingParams); err != nil {
			return c, fmt.Errorf("encoding_params: %w", err)
		}
	}
	if delta {
		return c.fit(row, data) // stored hybrids have the defaults of their encodings
	}
	return c, nil
}
