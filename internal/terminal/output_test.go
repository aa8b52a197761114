package terminal

import (
	"io"
	"os"
	"strings"
	"testing"
)

// TestOutput: what a user named may be replaced, what the program chose may not, and neither what the command reads.
func TestOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("there", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone", "link"); err != nil {
		t.Skip("there are no links here")
	}
	s := Streams{Out: io.Discard, Err: io.Discard}
	for _, test := range []struct {
		o    Output
		want string // part of the error, "" for none
	}{
		{OutputOr("there", "x"), ""}, {OutputOr("", "new"), ""}, {OutputOr(Stdout, "there"), ""},
		{OutputOr("", "there"), "there is there already; to replace it: -o there"},
		{OutputOr(".", "x"), ". is a folder; name a file"},
		{OutputOr("link", "x"), "link is a link to gone, which is not there"},
		{Output{Path: "there", Inputs: []string{"none", "./there"}}, "there is what the command reads"},
	} {
		err := s.Check(test.o)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v, want %q", test.o, err, test.want)
		}
	}
	if err := s.WriteBytes(Output{Path: "folder/file"}, []byte("text")); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile("folder/file"); string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestCheckFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("in", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		o    Output
		want string
	}{
		{OutputOr("out", "x"), ""}, {OutputOr("", "out"), ""},
		{OutputOr("in", "x"), "in is what the command reads; name another folder"},
		{OutputOr("", "in"), "in is there already"},
		{OutputOr(Stdout, "x"), "a folder cannot go to standard output"},
	} {
		err := test.o.CheckFolder("./in")
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v, want %q", test.o, err, test.want)
		}
	}
}

// What is told of a file that goes to standard output goes to standard error.
func TestBeside(t *testing.T) {
	var out, notes strings.Builder
	s := Streams{Out: &out, Err: &notes}
	s.Beside(Output{Path: Stdout}).Print("told of %s", Stdout)
	s.Beside(Output{Path: "file"}).Print("told of a file")
	if out.String() != "told of a file\n" || notes.String() != "told of -\n" {
		t.Errorf("results %q, notes %q", &out, &notes)
	}
}
