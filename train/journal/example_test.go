package journal_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nopezoo/zoo/train/journal"
)

func Example() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	metrics := `{"step":1,"loss":0.5,"tokens":90,"slots":100,"seconds":0.1}
{"step":2,"loss":0.25,"tokens":90,"slots":100,"seconds":0.1}
`
	if err := os.WriteFile(filepath.Join(dir, journal.MetricsFile), []byte(metrics), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	noted, err := journal.Read(dir)
	last := noted.Steps[len(noted.Steps)-1]
	fmt.Println(last.Step, last.Loss, err)
	// Output: 2 0.25 <nil>
}
