package configs

import (
	"strings"
	"testing"
)

// A preset's keys are checked as those of a file are, but for its settings on tasks, which no file may have.
func TestReadYAML(t *testing.T) {
	for _, tc := range []struct {
		text   string
		preset bool
		want   string // part of the error, "" for none
	}{
		{"train: {steps: 5}", true, ""},
		{"train: {steps: 5}", false, ""},
		{"train: {stepz: 5}", true, `x: unknown key "train.stepz"`},
		{"train: {stepz: 5}", false, `x: unknown key "train.stepz"`},
		{"train: {steps: }", true, "x: train.steps has no value"},
		{"train: {steps: }", false, "x: train.steps has no value"},
		{"on_task: {copy: {train: {steps: 5}}}", true, ""},
		{"on_task: {copy: {train: {steps: 5}}}", false, `x: unknown key "on_task.copy.train.steps"`},
	} {
		_, err := readYAML("x", []byte(tc.text), tc.preset)
		if (err == nil) != (tc.want == "") || err != nil && !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s, preset %v: error %v, want %s", tc.text, tc.preset, err, tc.want)
		}
	}
}
