package runtime_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nopezoo/zoo/internal/foreigntest"
	"github.com/nopezoo/zoo/runtime"
)

// TestWithoutWords: a file of another program whose tokenizer is missing says so to whoever wants
// text, and answers end at the token that its settings name.
func TestWithoutWords(t *testing.T) {
	model := (foreigntest.Decoder{}).Filled(1).File(t)
	beside := func(end int64) runtime.Options {
		config := fmt.Sprintf(`{"vocab_size": 23, "eos_token_id": %d}`, end)
		return runtime.Options{Provider: "cpu", Beside: fstest.MapFS{"config.json": {Data: []byte(config)}}}
	}
	s := open(t, model, beside(22))
	const reason = "there is no tokenizer.json beside the model file"
	_, ids := runtime.Tokens(s.Generate(t.Context(), [][]int64{{7}}, runtime.GenerateOptions{StopStrings: []string{"a"}}))
	_, text := runtime.Completions(s.Stream(t.Context(), texts("a"), runtime.GenerateOptions{}))
	for what, err := range map[string]error{"stop strings": ids, "text": text} {
		if !errors.Is(err, runtime.ErrNoTokenizer) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want ErrNoTokenizer with %q", what, err, reason)
		}
	}
	free := generate(t, s, [][]int64{{7}}, runtime.GenerateOptions{MaxNew: 9, Stop: []int64{}})[0]
	s = open(t, model, beside(free[3]))
	want := free[:slices.Index(free, free[3])+1]
	if got := generate(t, s, [][]int64{{7}}, runtime.GenerateOptions{MaxNew: 9})[0]; !slices.Equal(got, want) {
		t.Errorf("%v, want %v: token %d ends a text", got, want, free[3])
	}
}
