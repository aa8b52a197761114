package pe_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/models/pe"
)

func TestPoPEErrors(t *testing.T) {
	row, err := pe.Find("pope")
	if err != nil {
		t.Fatal(err)
	}
	for _, settings := range []string{`{"theta":1}`, `{"theta":-5}`} {
		_, err := row.Make.New(pe.Dims{Model: 4, Heads: 2, Head: 2, Layers: 1}, json.RawMessage(settings))
		if err == nil || !strings.Contains(err.Error(), "must be greater than 1") {
			t.Errorf("settings %s: error %v", settings, err)
		}
	}
}
