package find_test

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/zoo/find"
)

func TestCheckEncodings(t *testing.T) {
	if err := find.CheckEncodings([]string{"rope", "cwrnn", "alibi"}); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{
		"rop": `unknown encoding "rop"; did you mean "rope"? known: nope, `, "none": "here it is called nope",
	} {
		if err := find.CheckEncodings([]string{"rope", name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
