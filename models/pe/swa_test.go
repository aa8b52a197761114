package pe_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/models/pe"
)

func TestSWA(t *testing.T) {
	d := pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: 2}
	for settings, want := range map[string]int{"": 16, `{"window":2}`: 2, `{"window":4096}`: 4096} {
		if got := newEncoding(t, "swa", settings, d).(pe.Windowed).Window(); got != want {
			t.Errorf("%s: a window of %d, want %d", settings, got, want)
		}
	}
	row, err := pe.Find("swa")
	if err != nil {
		t.Fatal(err)
	}
	for settings, want := range map[string]string{
		`{"window":1}`: "window 1: want 2 to 65536 tokens", `{"window":-4}`: "window -4", `{"window":70000}`: "window 70000",
		`{"width":4}`: `unknown key "width"; known: window`,
	} {
		if _, err := row.Make.New(d, json.RawMessage(settings)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", settings, err, want)
		}
	}
}
