package modelfile

import (
	"fmt"

	"github.com/nopezoo/zoo/models"
)

// Untrained is the model with the weights that training began with, as its seed drew them.
func (m Model) Untrained() (Model, error) {
	if len(m.Config.MeanAblated()) > 0 {
		return m, fmt.Errorf("ablation %q: what heads give on average is that of the trained model, not of the untrained one; "+
			"ablate with zero or even, or leave the untrained one out", m.Config.Ablation)
	}
	made, err := models.New(m.Config)
	if err != nil {
		return m, err
	}
	m.Weights = models.InitWeights(made.Params(), m.Card.Seed)
	m.Card.Steps, m.Card.TrainProvider, m.Card.FittedStep = 0, "", nil
	return m, nil
}
