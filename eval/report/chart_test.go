package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
)

// speed makes a row of speed alone at batch 4, whose step takes some milliseconds and
// could take least, by a machine that moves a megabyte in a millisecond.
func speed(encoding string, length int, step, least float64) eval.Row {
	r := eval.Row{Schema: eval.RowSchema, Measure: eval.MeasureSpeed, Environment: eval.Environment{Model: encoding}, Encoding: encoding, Length: length, Batch: 4}
	r.DecodeSteps, r.DecodeP50MS = 32, step
	r.DecodeFLOPs, r.DecodeBytes, r.PeakFLOPS, r.PeakBandwidth = 1, least*1e6, 1e9, 1e9
	return r
}

// TestTokenChart checks the curves of the time per new token of a sequence: their
// heights, axis and limits.
func TestTokenChart(t *testing.T) {
	change := func(r eval.Row, by func(*eval.Row)) eval.Row {
		by(&r)
		return r
	}
	noPeaks := func(r *eval.Row) { r.PeakFLOPS, r.PeakBandwidth = 0, 0 }
	type limit struct{ X, Low, High summary.Number }
	for _, tc := range []struct {
		name        string
		rows        []eval.Row
		points      [][]summary.Number // by curve
		limits      []limit
		bottom, top float64
	}{
		{"a share of the step, and the least and most that is needed",
			[]eval.Row{speed("a", 512, 4, 2), speed("b", 512, 6, 3), speed("a", 1024, 12, 8)},
			[][]summary.Number{{1, 3}, {1.5}}, []limit{{512, 0.5, 0.75}, {1024, 2, 2}}, 0.5, 4},
		{"computing takes longer than moving", []eval.Row{change(speed("a", 512, 4, 1), func(r *eval.Row) { r.DecodeFLOPs = 2e6 })},
			[][]summary.Number{{1}}, []limit{{512, 0.5, 0.5}}, 0.5, 1},
		{"below the roofline", []eval.Row{speed("a", 512, 4, 5)}, [][]summary.Number{{1}}, []limit{{512, 1.25, 1.25}}, 1, 2},
		{"the best peaks count", []eval.Row{speed("a", 512, 4, 2), change(speed("b", 512, 4, 2), func(r *eval.Row) { r.PeakBandwidth /= 4 })},
			[][]summary.Number{{1}, {1}}, []limit{{512, 0.5, 0.5}}, 0.5, 1},
		{"one height", []eval.Row{change(speed("a", 512, 4, 1), noPeaks)}, [][]summary.Number{{1}}, nil, 0.5, 1},
		{"no time at all", []eval.Row{speed("a", 512, 0, 1)}, nil, nil, 0, 0},
		{"no step", []eval.Row{change(speed("a", 512, 4, 1), func(r *eval.Row) { r.DecodeSteps = 0 })}, nil, nil, 0, 0},
		{"not measured", []eval.Row{change(speed("a", 512, 4, 1), func(r *eval.Row) { r.NA = true })}, nil, nil, 0, 0},
		{"of a task", []eval.Row{change(speed("a", 512, 4, 1), func(r *eval.Row) { r.Task = "copy" })}, nil, nil, 0, 0},
	} {
		var place summary.Place
		if places := reportOf(t, tc.rows...).Tasks[0].Places; len(places) > 0 {
			place = places[0]
		}
		c := report.TokenChart(place)
		var points [][]summary.Number
		for _, l := range c.Lines {
			points = append(points, nil)
			for _, d := range l.Points {
				points[len(points)-1] = append(points[len(points)-1], d.Y)
			}
		}
		if diff := cmp.Diff(tc.points, points); diff != "" {
			t.Errorf("%s: points (-want +got):\n%s", tc.name, diff)
		}
		var limits []limit
		for _, l := range c.Limits {
			limits = append(limits, limit{summary.Number(l.X), l.Low, l.High})
		}
		if diff := cmp.Diff(tc.limits, limits, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%s: limits (-want +got):\n%s", tc.name, diff)
		}
		if c.Bottom != tc.bottom || c.Top != tc.top {
			t.Errorf("%s: the axis goes from %v to %v, want %v to %v", tc.name, c.Bottom, c.Top, tc.bottom, tc.top)
		}
	}
}

// TestOctavesAreShared checks where curves lie on one another: by how many octaves they
// are apart, not by how many milliseconds.
func TestOctavesAreShared(t *testing.T) {
	for _, tc := range []struct {
		low, high float64 // times of b where a takes 1 and 1024
		strokes   int
	}{
		{1, 1024, 1},
		{1.03, 1050, 1},
		{1.5, 1024, 2}, // of 1024 that is nothing, of 1 it is not
		{1, 512, 2},
	} {
		c := report.TokenChart(reportOf(t, append([]eval.Row{speed("a", 1, 4, 4), speed("a", 2, 4096, 4)}, []eval.Row{speed("b", 1, 4*tc.low, 4), speed("b", 2, 4*tc.high, 4)}...)...).Tasks[0].Places[0])
		if len(c.Strokes) != tc.strokes {
			t.Errorf("%v and %v: %d strokes, want %d", tc.low, tc.high, len(c.Strokes), tc.strokes)
		}
	}
}

// TestEndsAreMarked checks whose markers stand where curves meet: all curves' in turn, but
// where some of them end.
func TestEndsAreMarked(t *testing.T) {
	long := []eval.Row{speed("a", 1, 4, 4), speed("a", 2, 8, 4), speed("a", 4, 64, 4)}
	short := []eval.Row{speed("b", 1, 4.1, 4), speed("b", 2, 8.1, 4)}
	c := report.TokenChart(reportOf(t, append(long, short...)...).Tasks[0].Places[0])
	var users [][][]int
	for _, l := range c.Lines {
		users = append(users, nil)
		for _, d := range l.Points {
			users[len(users)-1] = append(users[len(users)-1], d.Users)
		}
	}
	if diff := cmp.Diff([][][]int{{{0, 1}, {1}, {0}}, {{0, 1}, {1}}}, users); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
