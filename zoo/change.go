package zoo

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/modelfile/precision"
	"github.com/nopezoo/zoo/models"
)

// As is the model in a precision, one of precision.Types: its files are. A
// file is what it is.
func (m Model) As(dtype string) (Model, error) {
	of, err := precision.Parse(dtype)
	if err != nil {
		return m, err
	}
	if m.dtype = of; of == card.Float32 {
		return m, nil
	}
	m.From += ", in " + dtype
	return m, m.changeable(dtype)
}

// headMeans adds the weights that a mean ablation needs, such as experiment/analysis.HeadMeans.
type headMeans = func(context.Context, modelfile.Model) (modelfile.Model, error)

// With is the model as an intervention changes it: what it has learned stays, and card and
// label say what was changed. Whether the model can be changed so is seen when it is
// loaded. A file is what it is. means computes the weights of a mean ablation; nil where
// there is none.
func (m Model) With(i models.Intervention, means headMeans) (Model, error) {
	if i.String() == "" {
		return m, nil
	}
	m.Label, m.From = fmt.Sprintf("%s (%v)", m.Label, i), fmt.Sprintf("%s, with %v", m.From, i)
	m.intervention, m.means = i, means
	return m, m.changeable(i.String())
}

// changeable refuses a change of a file.
func (m Model) changeable(change string) error {
	if m.File == "" {
		return nil
	}
	return fmt.Errorf("%s: %s is an ONNX file, which is not changed any more; "+
		"name the run or the model of the catalogue that it was made from", change, m.File)
}

// intervene changes a model that was loaded.
func intervene(ctx context.Context, m modelfile.Model, i models.Intervention, means headMeans) (modelfile.Model, error) {
	if was := m.Card.Intervention; was != "" {
		return m, fmt.Errorf("%v: the model was changed after training already (%s); name the one as it was trained", i, was)
	}
	cfg, err := i.Apply(m.Config, m.TrainedTokens)
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
	return means(ctx, m)
}
