package modelfile_test

import (
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/modelfile"
)

// A sample of copy at length n has n words twice, "Copy", its colon and the separator.
func TestTrainedTokens(t *testing.T) {
	copying, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	c := card.Card{Task: "copy", Trained: card.Lengths{Min: 2, Max: 20}, Tokenizer: tasktest.Vocabulary(copying)}
	if n, err := (modelfile.Model{Card: c}).TrainedTokens(); err != nil || n != 43 {
		t.Errorf("%d tokens at length 20, want 43 (%v)", n, err)
	}
	c.Trained = card.Lengths{}
	if n, err := (modelfile.Model{Card: c}).TrainedTokens(); err == nil {
		t.Errorf("a model that was not trained has %d tokens", n)
	}
	c.Task = ""
	if n, err := (modelfile.Model{Card: c}).TrainedTokens(); err == nil {
		t.Errorf("a model without a task has %d tokens", n)
	}
}
