package train

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/nopezoo/zoo/card"
)

// Card describes the checkpoint's model, but for what its file decides (profile,
// state, parity).
func (c *Checkpoint) Card(toolVersion string) (card.Card, error) {
	t, lengths, err := c.Config.task()
	if err != nil {
		return card.Card{}, err
	}
	data := sha256.Sum256(fmt.Appendf(nil, "%s v%d %s seed %d split train", t.Name, t.Version, lengths, c.Config.Train.Seed))
	loss := c.Loss
	return card.Card{
		Tokenizer:   t.Vocabulary(),
		Task:        t.Name,
		Trained:     card.Lengths{Min: lengths.Min, Max: lengths.Max},
		Seed:        c.Config.Train.Seed,
		ConfigHash:  c.Config.Hash(),
		DataHash:    hex.EncodeToString(data[:]),
		Steps:       c.Step,
		Loss:        &loss,
		ToolVersion: toolVersion,
	}, nil
}
