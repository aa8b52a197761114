package human_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/human"
)

type innerFields struct {
	Depth float64 `json:"depth"`
}

// What the standard library says of files and of JSON is said in words for people, wherever it stands in an error.
func TestError(t *testing.T) {
	t.Chdir(t.TempDir())
	_, missing := os.Open("none")
	_, unseen := os.Lstat(filepath.Join("none", "x"))
	parse := func(text string) error {
		var to struct {
			Length int
			Of     []struct{ Name string } `json:"of"`
			Yes    bool
			innerFields
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		return d.Decode(&to)
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.New("plain"), "plain"},
		{missing, "none: no such file or directory"},
		{fmt.Errorf("config file none: %w", missing), "config file none: no such file or directory"},
		{fmt.Errorf("report: %w; write one", errors.Join(unseen, missing)),
			"report: " + filepath.Join("none", "x") + ": no such file or directory\nnone: no such file or directory; write one"},
		{os.Rename("none", "new"), "new, from none: no such file or directory"},
		{parse(`{"lengths": 1}`), `unknown key "lengths"`},
		{fmt.Errorf("a.json: %w", parse(`{"length": "x"}`)), `a.json: the key "Length" has a JSON string, at byte 14, want a whole number`},
		{parse(`{"length": 1.5}`), `the key "Length" has a JSON number 1.5, at byte 14, want a whole number`},
		{parse(`{"of": {}}`), `the key "of" has a JSON object, at byte 8, want an array`},
		{parse(`{"of": [{"name": true}]}`), `the key "of.Name" has a JSON bool, at byte 21, want a string`},
		{parse(`{"yes": 1}`), `the key "Yes" has a JSON number, at byte 9, want true or false`},
		{parse(`{"depth": "x"}`), `the key "depth" has a JSON string, at byte 13, want a number`},
		{parse(`[]`), `the value has a JSON array, at byte 1, want an object`},
		{parse(`{x`), "it is no JSON: invalid character 'x' looking for beginning of object key string, at byte 2"},
	} {
		if got := human.Error(test.err); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
