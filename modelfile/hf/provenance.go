package hf

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
)

// provenance is what a card says of a model's training. The rest of a card
// follows from the model or from the file that is made of it.
type provenance struct {
	Task        string   `json:"task,omitempty"`
	TrainMin    int      `json:"train_min,omitempty"` // task lengths seen in training
	TrainMax    int      `json:"train_max,omitempty"`
	Seed        uint64   `json:"seed"`
	DataSeed    uint64   `json:"data_seed,omitempty"`
	Steps       int      `json:"steps"`
	Provider    string   `json:"train_provider,omitempty"`
	FittedStep  *int     `json:"fitted_step,omitempty"`
	Loss        *float64 `json:"loss,omitempty"` // nats per target token
	ConfigHash  string   `json:"config_hash,omitempty"`
	DataHash    string   `json:"data_hash,omitempty"`
	ToolVersion string   `json:"tool_version,omitempty"`
	Positions   string   `json:"positions,omitempty"` // as card.Card has them; empty for contiguous ones
	// Intervention is what was changed after training, as the card has it.
	Intervention string `json:"intervention,omitempty"`
	ScalingRamp  string `json:"scaling_ramp,omitempty"` // see card.RampOf
	// Pretrained is where the weights of a pretrained model come from.
	Pretrained *card.Pretrained `json:"pretrained,omitempty"`
}

func provenanceOf(c card.Card) provenance {
	if c.Positions == card.Contiguous {
		c.Positions = ""
	}
	return provenance{
		c.Task, c.Trained.Min, c.Trained.Max, c.Seed, c.DataSeed, c.Steps, c.TrainProvider, c.FittedStep, c.Loss, c.ConfigHash, c.DataHash,
		c.ToolVersion, c.Positions, c.Intervention, card.RampOf(c.Intervention), c.Pretrained,
	}
}

func (p provenance) card() card.Card {
	return card.Card{
		Task: p.Task, Trained: card.Lengths{Min: p.TrainMin, Max: p.TrainMax},
		Seed: p.Seed, DataSeed: p.DataSeed, Steps: p.Steps, TrainProvider: p.Provider, FittedStep: p.FittedStep, Loss: p.Loss,
		ConfigHash: p.ConfigHash, DataHash: p.DataHash, ToolVersion: p.ToolVersion, Positions: p.Positions,
		Intervention: card.ReadIntervention(p.Intervention, p.ScalingRamp), Pretrained: p.Pretrained,
	}
}

// check reports what a card could not say.
func (p provenance) check() error {
	c := p.card()
	c.Architecture, c.Positions, c.Profile = "any", "any", card.Portable // the file's, not the folder's
	if _, err := c.Metadata(); err != nil {
		return err
	}
	if p.Task == "" {
		return nil
	}
	// Names of files are made from the task's, so it must be one.
	_, err := task.Label(p.Task)
	return err
}

// provenance reads the card's part of the document; a foreign file has none.
func (d document) provenance() (card.Card, error) {
	var p provenance
	if d.has(provenanceKey) {
		dec := json.NewDecoder(bytes.NewReader(d[provenanceKey]))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&p); err != nil {
			return card.Card{}, fmt.Errorf("%s: %w", provenanceKey, err)
		}
	}
	if err := p.check(); err != nil {
		return card.Card{}, fmt.Errorf("%s: %w", provenanceKey, err)
	}
	return p.card(), nil
}
