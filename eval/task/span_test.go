package task_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
)

func TestSpan(t *testing.T) {
	for _, tc := range []struct {
		span                task.Span
		text, label, inJSON string
		bin                 bool
		middle              float64
	}{
		{task.At(20), "20", "20", "20", false, 20},
		{task.Span{Min: 51, Max: 100}, "51-100", "51–100", `"51-100"`, true, 75.5},
	} {
		data, err := json.Marshal(tc.span)
		if err != nil || string(data) != tc.inJSON || tc.span.String() != tc.text || tc.span.Label() != tc.label ||
			tc.span.IsBin() != tc.bin || tc.span.Middle() != tc.middle {
			t.Errorf("%s is %q, label %q, JSON %s (%v), middle %v", tc.text, tc.span, tc.span.Label(), data, err,
				tc.span.Middle())
		}
	}
	got := task.SortSpans([]task.Span{task.At(100), {Min: 51, Max: 100}, {Min: 1, Max: 50}, task.At(26), {Min: 40, Max: 60},
		{Min: 30, Max: 70}, {Min: 51, Max: 100}})
	want := []task.Span{{Min: 1, Max: 50}, task.At(26), {Min: 30, Max: 70}, {Min: 40, Max: 60}, {Min: 51, Max: 100},
		task.At(100)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
