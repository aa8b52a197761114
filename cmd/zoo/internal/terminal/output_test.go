package terminal

import (
	"io"
	"os"
	"path/filepath"
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
		if test.want == "" && err != nil || test.want != "" &&
			(err == nil || !strings.Contains(err.Error(), test.want)) {
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
		if test.want == "" && err != nil || test.want != "" &&
			(err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v, want %q", test.o, err, test.want)
		}
	}
}

// What is told of a file that goes to standard output goes to standard error.
func TestBeside(t *testing.T) {
	var out, notes strings.Builder
	s := Streams{Out: &out, Err: &notes}
	s.Messages(Output{Path: Stdout}).Print("told of %s", Stdout)
	s.Messages(Output{Path: "file"}).Print("told of a file")
	if out.String() != "told of a file\n" || notes.String() != "told of -\n" {
		t.Errorf("results %q, notes %q", &out, &notes)
	}
}

// TestOutputs: several files need a folder, and no two are written to one place.
func TestOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("there", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		named      string
		n          int
		want, flag string // path of the first one, and its Rename
	}{
		{"", 1, "a.onnx", "-o a.onnx"}, {"", 2, "a.onnx", "-o ."}, {"b.onnx", 1, "b.onnx", ""},
		{"there", 1, "there/a.onnx", ""}, {"new/", 1, "new/a.onnx", ""}, {"new", 2, "new/a.onnx", ""},
		{"new", 1, "new", ""},
	} {
		o, err := Files(test.named, test.n, ".onnx")
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := o.Output("a.onnx", "run a", nil)
		if err != nil || got.Path != filepath.FromSlash(test.want) || got.Rename != test.flag {
			t.Errorf("%q: %+v, %v; want %q, %q", test.named, got, err, test.want, test.flag)
		}
		if _, err := o.Output("a.onnx", "run b", nil); err == nil || !strings.Contains(err.Error(), "from run a") {
			t.Errorf("%q: written twice: %v", test.named, err)
		}
	}
	if _, err := Files("b.onnx", 2, ".onnx"); err == nil {
		t.Error("two files are put into one")
	}
	for kind, want := range map[bool]string{true: "there", false: "there/a"} {
		got, err := Folders("there", 1, func(string) bool { return kind }).Output("a", "run a", nil)
		if err != nil || got.Path != filepath.FromSlash(want) {
			t.Errorf("a folder of the kind %v: %+v, %v", kind, got, err)
		}
	}
}
