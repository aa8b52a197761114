package modelfile

import "github.com/nopezoo/zoo/models"

// Untrained is the model with the weights that training began with, as its seed drew them.
func (m Model) Untrained() (Model, error) {
	made, err := models.New(m.Config)
	if err != nil {
		return m, err
	}
	m.Weights = models.InitWeights(made.Params(), m.Card.Seed)
	m.Card.Steps, m.Card.FittedStep = 0, nil
	return m, nil
}
