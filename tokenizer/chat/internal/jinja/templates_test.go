package jinja

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// rendering is what transformers makes of a template.
type rendering struct {
	Template   string
	Messages   json.RawMessage
	Tools      json.RawMessage
	Variables  map[string]json.RawMessage
	Generation bool `json:"add_generation_prompt"`
	Text       string
	Error      string
}

// plenty are limits that no honest template meets.
var plenty = Limits{Steps: 1 << 20, Output: 1 << 16}

// TestTemplates compares renderings with those of transformers 5.24.
func TestTemplates(t *testing.T) {
	data, err := os.ReadFile("testdata/templates.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Templates map[string]string
		Cases     []rendering
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	value := func(data json.RawMessage) any {
		v, err := FromJSON(data)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	seen := map[string]bool{}
	for i, c := range file.Cases {
		seen[c.Template] = true
		if string(c.Messages) == "[]" {
			continue // refused before rendering
		}
		template, err := Parse(file.Templates[c.Template])
		if err != nil {
			t.Fatalf("%s: %v", c.Template, err)
		}
		variables := map[string]any{"bos_token": "<s>", "eos_token": "</s>", "messages": value(c.Messages), "add_generation_prompt": c.Generation}
		if c.Tools != nil {
			variables["tools"] = value(c.Tools)
		}
		for name, v := range c.Variables {
			variables[name] = value(v)
		}
		got, err := template.Render(context.Background(), variables, plenty)
		switch {
		case c.Error == "" && err != nil:
			t.Errorf("case %d, %s: %v", i, c.Template, err)
		case c.Error == "" && got != c.Text:
			t.Errorf("case %d, %s:\n got %q\nwant %q", i, c.Template, got, c.Text)
		case c.Error != "" && err == nil:
			t.Errorf("case %d, %s: got %q, want an error as %q", i, c.Template, got, c.Error)
		case c.Error != "" && !strings.Contains(c.Error, "undefined") && !strings.Contains(c.Error, err.Error()):
			t.Errorf("case %d, %s: error %q, want %q", i, c.Template, err, c.Error)
		}
	}
	if len(seen) != len(file.Templates) {
		t.Errorf("%d of %d templates have cases", len(seen), len(file.Templates))
	}
}
