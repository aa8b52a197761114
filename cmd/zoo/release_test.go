package main

import (
	"os"
	"strings"
	"testing"
)

// The release stands in version.go; what tells others of it says the same.
func TestRelease(t *testing.T) {
	for file, want := range map[string]string{"CITATION.cff": "\nversion: " + release + "\n", "CHANGELOG.md": "\n## " + release + " ",
		"docs/research.md": "version = {" + release + "}"} {
		data, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), want) {
			t.Errorf("%s lacks %q", file, want)
		}
	}
}
