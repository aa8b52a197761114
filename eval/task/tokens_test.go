package task_test

import (
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

// A sample of copy at length n has n words twice, "Copy", its colon and the separator.
func TestTrainedTokens(t *testing.T) {
	copying, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	words, err := tokenizer.New(tasktest.Vocabulary(copying))
	if err != nil {
		t.Fatal(err)
	}
	short, err := task.TrainedTokens(words, []task.Task{copying}, []task.Range{{Min: 1, Max: 5}})
	if err != nil {
		t.Fatal(err)
	}
	if short != 2*5+3 {
		t.Errorf("%d tokens at length 5, want 13", short)
	}
	both, err := task.TrainedTokens(words, []task.Task{copying, copying}, []task.Range{{Min: 1, Max: 9}, {Min: 1, Max: 5}})
	if err != nil || both != short+2*4 {
		t.Errorf("%d tokens at length 9, want %d (%v)", both, short+2*4, err)
	}
}
