package task_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
)

func TestParseLengths(t *testing.T) {
	for _, tc := range []struct {
		list string
		want []int
	}{
		{"20", []int{20}},
		{"20,40,80", []int{20, 40, 80}},
		{"80, 20 ,40,20", []int{20, 40, 80}},
		{"20..200", []int{20, 40, 60, 80, 100, 120, 140, 160, 180, 200}},
		{"1..20", []int{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}},
		{"1..100", []int{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}},
		{"20..40", []int{20, 24, 28, 32, 36, 40}},
		{"40..400", []int{40, 80, 120, 160, 200, 240, 280, 320, 360, 400}},
		{"1..5", []int{1, 2, 3, 4, 5}},
		{"1..15", []int{1, 3, 5, 7, 9, 11, 13, 15}},
		{"7..7", []int{7}},
		{"1..1", []int{1}},
		{"190..200", []int{190, 192, 194, 196, 198, 200}},
		{"191..200", []int{191, 192, 193, 194, 195, 196, 197, 198, 199, 200}},
		{"1000..1100", []int{1001, 1012, 1023, 1034, 1045, 1056, 1067, 1078, 1089, 1100}},
		{"20..24+1", []int{20, 21, 22, 23, 24}},
		{"20..200+60", []int{20, 80, 140, 200}},
		{"20..100+30", []int{20, 50, 80}},
		{"32..4096*2", []int{32, 64, 128, 256, 512, 1024, 2048, 4096}},
		{"3..30*3", []int{3, 9, 27}},
		{"1..3+1,10..40*2,5", []int{1, 2, 3, 5, 10, 20, 40}},
		{"1048576", []int{task.MaxLength}},
	} {
		got, err := task.ParseLengths(tc.list)
		if err != nil {
			t.Errorf("%q: %v", tc.list, err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.list, diff)
		}
	}
}

func TestParseLengthsErrors(t *testing.T) {
	for _, tc := range []struct{ list, want string }{
		{"", `lengths "": a number is missing`},
		{",", "a number is missing"},
		{"20,", "a number is missing"},
		{"200..20", "200..20 runs backwards"},
		{"0", "0 is not a positive"},
		{"0..20", "0 is not a positive"},
		{"-5", `"-5" is not a positive`},
		{"-5..20", `"-5" is not a positive`},
		{"+5", `"+5" is not`},
		{"1e3", `"1e3" is not`},
		{"1_000", `"1_000" is not`},
		{"ten", `"ten" is not`},
		{"20...200", `".200" is not`},
		{"20..", `lengths "20..": a number is missing`},
		{"..20", "a number is missing"},
		{"1..2..3", `"2..3" is not`},
		{"20..200+", "a number is missing"},
		{"20..200+0", "0 is not a positive"},
		{"20..200+-1", `"-1" is not`},
		{"20..200*1", "factor 1 never"},
		{"20..200*2+1", `"2+1" is not`},
		{"20+5", `"20+5" is not`},
		{"99999999999999999999", "99999999999999999999 is more than 1048576"},
		{"1048577", "is more than"},
		{"1..1048576+1", "more than 10000 lengths"},
		{"1..9000+1,1..9000+1", "more than 10000 lengths"},
		{strings.Repeat("9", 1000), "is more than"},
	} {
		got, err := task.ParseLengths(tc.list)
		if err == nil {
			t.Errorf("%q: no error but %v", tc.list, got)
			continue
		}
		if msg := err.Error(); !strings.Contains(msg, tc.want) || !strings.Contains(msg, "valid forms") ||
			len(msg) > 500 {
			t.Errorf("%q: error %q does not contain %q, or not the valid forms, or is too long", tc.list, msg, tc.want)
		}
	}
}

// A list of what is measured may have bins between single lengths.
func TestParseSpans(t *testing.T) {
	for _, tc := range []struct {
		list string
		want []task.Span
	}{
		{"51-100", []task.Span{{Min: 51, Max: 100}}},
		{"101-150, 1-50,51-100,1-50", []task.Span{{Min: 1, Max: 50}, {Min: 51, Max: 100}, {Min: 101, Max: 150}}},
		{"20..30,1-50,100", []task.Span{task.At(20), task.At(22), task.At(24), {Min: 1, Max: 50}, task.At(26),
			task.At(28), task.At(30), task.At(100)}},
		{"7-7", task.Spans(7)},
		{"20..40", task.Spans(20, 24, 28, 32, 36, 40)},
	} {
		got, err := task.ParseSpans(tc.list)
		if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", tc.list, err, diff)
		}
	}
	for _, tc := range []struct{ list, want string }{
		{"100-51", "100-51 runs backwards"},
		{"0-50", "0 is not a positive"},
		{"51-", `lengths "51-": a number is missing`},
		{"-51", `"-51" is not a positive`},
		{"1-50-100", `"50-100" is not a positive`},
		{"1-50+10", `"50+10" is not a positive`},
		{"1-50..100", `"1-50" is not a positive`},
		{"51–100", "is not a positive"},
		{"1-9999999", "9999999 is more than 1048576"},
	} {
		got, err := task.ParseSpans(tc.list)
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), `"51-100" (a bin)`) {
			t.Errorf("%q: %v, error %v", tc.list, got, err)
		}
	}
	_, err := task.ParseLengths("20,51-100")
	if err == nil || !strings.Contains(err.Error(), "51-100 is a bin") || strings.Contains(err.Error(), "(a bin)") {
		t.Errorf("single lengths: error %v", err)
	}
}

func TestParseRange(t *testing.T) {
	if got, err := task.ParseRange(" 1..20"); err != nil || got != (task.Range{Min: 1, Max: 20}) {
		t.Errorf("1..20 = %v, %v", got, err)
	}
	for _, bad := range []string{"", "20", "20..1", "0..5", "1..x", "1..5+1"} {
		if _, err := task.ParseRange(bad); err == nil || !strings.Contains(err.Error(), `"1..20"`) {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}

func FuzzParseLengths(f *testing.F) {
	for _, s := range []string{"20", "20..200", "20..200+1", "32..4096*2", "1..3,9", "200..20", "1..1048576+1", "١"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		got, err := task.ParseLengths(list)
		if err != nil {
			return
		}
		if len(got) == 0 || len(got) > 10_000 || !slices.IsSorted(got) ||
			len(slices.Compact(slices.Clone(got))) != len(got) ||
			got[0] < 1 || got[len(got)-1] > task.MaxLength {
			t.Fatalf("%q gives %v", list, got)
		}
		r, err := task.ParseRange(list)
		if err == nil && (len(got) > 10 || got[len(got)-1] != r.Max || got[0] < r.Min) {
			t.Fatalf("%q gives %v", list, got)
		}
	})
}

func TestEvenly(t *testing.T) {
	var every []int
	for n := range 25 {
		every = append(every, n+1)
	}
	for _, tc := range []struct{ of, want []int }{
		{nil, nil},
		{[]int{3}, []int{3}},
		{every[:9], every[:9]},
		{every[:10], every[:10]},
		{every[:11], []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{every, []int{3, 5, 8, 10, 13, 15, 18, 20, 23, 25}},
	} {
		if got := task.Evenly(tc.of); !slices.Equal(got, tc.want) {
			t.Errorf("of %v: %v, want %v", tc.of, got, tc.want)
		}
	}
}
