package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/experiment/analysis"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/zoo"
)

// interventionFlags change finished models, without training.
type interventionFlags struct {
	rope, window, ablate string
	scales               []string
}

func (o *interventionFlags) add(c *cobra.Command) {
	o.addTrained(c)
	c.Flags().StringVar(&o.ablate, "ablate", "", "take heads away: `LAYER.HEAD` from 0 on, several with commas; "+
		"mean:0.1,1.3 leaves what they give on average")
}

// addTrained adds the flags of what a run can go on with.
func (o *interventionFlags) addTrained(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.rope, "rope", "", "change rope for longer sequences: `METHOD:FACTOR`, with "+
		strings.Join(pe.ScalingMethods, ", ")+"; or none")
	f.StringVar(&o.window, "window", "", "let a query see this many `tokens` only, itself included; "+
		"by layer as in 8*3/0")
	f.StringArrayVar(&o.scales, "scale", nil, "multiply the attention logits: `WHAT` is log-n, log-n=C, factor=X, "+
		"or factor=X,Y,… for each head; may be repeated")
}

// intervention is what the flags say.
func (o interventionFlags) intervention() (models.Intervention, error) {
	i, err := models.ParseIntervention(o.rope, o.window, o.scales...)
	if err != nil {
		return i, fmt.Errorf("--%w", err)
	}
	i.Ablation = o.ablate
	return i, nil
}

// apply changes models as the flags say.
func (o interventionFlags) apply(found []zoo.Model) ([]zoo.Model, error) {
	i, err := o.intervention()
	if err != nil {
		return nil, err
	}
	out := make([]zoo.Model, len(found))
	for k, m := range found {
		if out[k], err = m.With(i, analysis.HeadMeans); err != nil {
			return nil, err
		}
	}
	return out, nil
}
