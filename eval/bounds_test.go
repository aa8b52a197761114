package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
)

// A row whose name fills a line is refused before a table is laid out by it.
func TestLongName(t *testing.T) {
	for _, key := range []string{"model", "task", "encoding", "machine", "reason"} {
		line := fmt.Sprintf(`{"schema":1,"measure":"accuracy","na":true,%q:%q}`, key, strings.Repeat("n", 900_000))
		_, err := eval.ReadJSONL(strings.NewReader(line))
		if err == nil || !strings.Contains(err.Error(),
			"eval: results line 1: "+key+" has 900000 bytes, expected at most 4096") || len(err.Error()) > 300 {
			t.Errorf("%s: error %.300v", key, err)
		}
	}
}
