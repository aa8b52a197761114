package upkeep

import (
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/human"
)

// What human.Shell quotes is read back as it was.
func TestShellWords(t *testing.T) {
	words := []string{"zoo", "--set", "a b", "it's", `say "x"`, `back\slash`, ""}
	line := "  "
	for _, w := range words {
		line += human.Shell(w) + "  "
	}
	if got, err := shellWords(line); err != nil || !slices.Equal(got, words) {
		t.Errorf("%s gives %q, %v", line, got, err)
	}
	if got, err := shellWords(`a "b c"d e\ f`); err != nil || strings.Join(got, "|") != "a|b cd|e f" {
		t.Errorf("%q, %v", got, err)
	}
	for _, line := range []string{"a 'b", `a "b`, `a\`} {
		if got, err := shellWords(line); err == nil {
			t.Errorf("%s gives %q, want an error", line, got)
		}
	}
}
