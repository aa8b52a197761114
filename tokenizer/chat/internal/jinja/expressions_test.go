package jinja

import (
	"context"
	"encoding/json"
	"os"
	"testing"
)

// TestExpressions compares expressions and statements with Jinja2 3.1, whose errors are errors here.
func TestExpressions(t *testing.T) {
	data, err := os.ReadFile("testdata/expressions.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Variables map[string]json.RawMessage
		Cases     []struct{ Template, Text, Error string }
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	variables := map[string]any{}
	for name, v := range file.Variables {
		if variables[name], err = FromJSON(v); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range file.Cases {
		var got string
		template, err := Parse(c.Template)
		if err == nil {
			got, err = template.Render(context.Background(), variables, plenty)
		}
		switch {
		case c.Error != "" && err == nil:
			t.Errorf("%s: got %q, want an error as %s", c.Template, got, c.Error)
		case c.Error == "" && err != nil:
			t.Errorf("%s: %v, want %q", c.Template, err, c.Text)
		case c.Error == "" && got != c.Text:
			t.Errorf("%s:\n got %q\nwant %q", c.Template, got, c.Text)
		}
	}
}
