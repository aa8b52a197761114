package main

import (
	"testing"

	"github.com/nopezoo/zoo/experiment/study"
	"github.com/nopezoo/zoo/experiment/sweep"
)

func TestStudySum(t *testing.T) {
	measured := func(fitted *int) sweep.Status { return sweep.Status{State: study.Measured, FittedStep: fitted} }
	failed, waiting := sweep.Status{State: sweep.Failed}, sweep.Status{State: sweep.Waiting}
	for _, tc := range []struct {
		all  []sweep.Status
		want string
	}{
		{[]sweep.Status{measured(new(0)), failed, measured(nil), waiting}, "4 runs: 2 measured (0 of 1 fitted), 1 failed, 1 missing"},
		{[]sweep.Status{measured(new(0)), failed, measured(new(3)), waiting}, "4 runs: 2 measured (1 of 2 fitted), 1 failed, 1 missing"},
		{[]sweep.Status{failed}, "1 run: 0 measured, 1 failed"},
	} {
		if got := studySum(tc.all); got != tc.want {
			t.Errorf("sum %q, want %q", got, tc.want)
		}
	}
}
