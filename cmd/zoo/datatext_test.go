package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
)

// The mark before a text is no part of it, but one within is.
func TestMark(t *testing.T) {
	for _, separator := range []string{"", "---"} {
		got := cutTexts("a", "\ufeffone\ufeff", separator)
		if len(got) != 1 || got[0].Text != "one\ufeff" {
			t.Errorf("%q: %+v", separator, got)
		}
	}
	if got := cutTexts("a", "\ufeff---\none", "---"); len(got) != 1 || got[0].Text != "one" {
		t.Errorf("%+v", got)
	}
}

func TestCutTexts(t *testing.T) {
	got := cutTexts("a.txt", "one\ntwo\n%\n \n%\r\nthree", "%")
	want := []task.Document{{Name: "a.txt 1", Text: "one\ntwo\n"}, {Name: "a.txt 2", Text: "three"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if whole := cutTexts("a.txt", "one\n%\n", ""); len(whole) != 1 || whole[0].Text != "one\n%\n" {
		t.Errorf("%+v", whole)
	}
}
