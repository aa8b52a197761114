package models_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/models"
)

func TestEncodingNames(t *testing.T) {
	got, err := models.EncodingNames([]string{"rope", "cwrnn", "rope*3/nope", "3rope+nope", "rope/rope/rope/nope", "t5*2"})
	want := []string{"rope", "cwrnn", "3rope+nope", "3rope+nope", "3rope+nope", "t5"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	for name, want := range map[string]string{
		"rop": `unknown encoding "rop"; did you mean "rope"?`, "none": "here it is called nope",
		"rotry": `did you mean "rotary", here called rope?`, "relativ": `did you mean "relative", here called t5 or txl?`,
		"rope*0/nope": "*0: want a number of layers", "rope//nope": "an empty part", "rope/rop": `unknown encoding "rop"`,
		"cwrnn/nope": `encoding cwrnn/nope: unknown encoding "cwrnn"`,
	} {
		if _, err := models.EncodingNames([]string{"rope", name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
