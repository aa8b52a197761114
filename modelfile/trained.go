package modelfile

import (
	"fmt"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/tokenizer"
)

// TrainedTokens is the number of tokens of the longest sequence that the model was trained on,
// as far as its card tells; of a pretrained model it is the declared length.
func (m Model) TrainedTokens() (int, error) {
	if p := m.Card.Pretrained; p != nil {
		if p.DeclaredLength == 0 {
			return 0, fmt.Errorf("%s declares none; leave out what counts from it", p.Source)
		}
		return p.DeclaredLength, nil
	}
	tasks, err := task.LookupList(m.Card.Task)
	if err != nil {
		return 0, fmt.Errorf("the model's task: %w", err)
	}
	words, err := tokenizer.New(m.Card.Tokenizer)
	if err != nil {
		return 0, err
	}
	lengths := lists.Make(len(tasks), func(int) task.Range { return task.Range(m.Card.Trained) })
	return task.TrainedTokens(words, tasks, lengths)
}
