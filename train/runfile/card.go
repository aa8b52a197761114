package runfile

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
)

// Card describes the checkpoint's model, without what its file decides (profile,
// state, parity).
func (c *Checkpoint) Card(toolVersion string) (card.Card, error) {
	d, err := c.Config.Data()
	if err != nil {
		return card.Card{}, err
	}
	data := sha256.Sum256([]byte(d.describe(c.Config.Train)))
	loss, before := c.Loss, c.Config.UpdatesBefore()
	fitted := c.Progress.Fitted
	if fitted != nil && *fitted > 0 {
		fitted = new(*fitted + before)
	}
	return card.Card{
		Pretrained:    c.Config.From.pretrained(),
		Tokenizer:     d.Pieces,
		Positions:     c.Config.Train.Positions,
		Task:          task.Names(d.Tasks),
		Trained:       card.Lengths(d.Span),
		Seed:          c.Config.Train.Seed,
		DataSeed:      c.Config.Train.DataSeed,
		ConfigHash:    c.Config.Hash(),
		DataHash:      hex.EncodeToString(data[:]),
		Steps:         c.Step + before,
		TrainProvider: c.Progress.Provider,
		FittedStep:    fitted,
		Loss:          &loss,
		ToolVersion:   toolVersion,
	}, nil
}
