package journal_test

import (
	"fmt"
	"os"

	"github.com/nopezoo/zoo/train/journal"
)

func Example() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	w := journal.Open(dir, 0, nil)
	for step := 1; step <= 3; step++ {
		s := journal.Stats{Step: step, Loss: 1 / float64(step), Tokens: 90, Slots: 100, Seconds: 0.1}
		if err := w.Step(s); err != nil {
			fmt.Println(err)
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}

	noted, err := journal.Read(dir)
	last := noted.Steps[len(noted.Steps)-1]
	fmt.Println(last.Step, last.Loss, err)
	// Output: 3 0.3333333333333333 <nil>
}
