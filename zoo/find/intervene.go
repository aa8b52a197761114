package find

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// With is the model as an intervention changes it: what it has learned stays, and its card and its
// label say what was changed. Whether the model can be changed so is seen when it is
// loaded. A file is what it is. means computes what a mean ablation needs (see
// experiment/analysis.HeadMeans); nil where there is none.
func (m Model) With(i models.Intervention, means HeadMeans) (Model, error) {
	if i.IsZero() {
		return m, nil
	}
	if m.File != "" {
		return m, fmt.Errorf("%v: %s is an ONNX file, which is not changed any more; "+
			"name the run or the model of the catalogue that it was made from", i, m.File)
	}
	m.Label, m.From = fmt.Sprintf("%s (%v)", m.Label, i), fmt.Sprintf("%s, with %v", m.From, i)
	m.intervention, m.means = i, means
	return m, nil
}

// HeadMeans adds to a model the weights that the mean ablation in its configuration needs.
type HeadMeans func(context.Context, modelfile.Model) (modelfile.Model, error)

// intervene changes a model that was loaded.
func intervene(m modelfile.Model, i models.Intervention, means HeadMeans) (modelfile.Model, error) {
	if was := m.Card.Intervention; was != "" {
		return m, fmt.Errorf("%v: the model was changed after training already (%s); name the one as it was trained", i, was)
	}
	cfg, err := i.Apply(m.Config, func() (int, error) { return eval.TrainedTokens(m.Card) })
	if err != nil {
		return m, err
	}
	m.Config, m.Card.Intervention = cfg, i.String()
	switch {
	case len(cfg.MeanAblated()) == 0:
		return m, nil
	case means == nil:
		return m, fmt.Errorf("%v: nobody computes what heads give on average; hand one to Model.With", i)
	}
	return means(context.Background(), m)
}
