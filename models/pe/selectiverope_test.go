package pe_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/models/pe"
)

func TestSelectiveRoPEErrors(t *testing.T) {
	row, err := pe.Find("selective-rope")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		d              pe.Dims
		settings, want string
	}{
		{pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: 1}, `{"theta":1}`, "theta 1 must be greater than 1"},
		{pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: 1}, `{"rank":-1}`, "rank -1: want 1 to 4096"},
		{pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: 1}, `{"conv":65}`, "conv 65: want 1 to 64"},
		{pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: 1}, `{"phase":"open"}`, `phase "open": want gated or plain`},
		{pe.Dims{Model: 8, Heads: 2, Head: 3, Layers: 1}, `{}`, "use an even d_head"},
		{pe.Dims{Model: 7, Heads: 2, Head: 4, Layers: 1}, `{}`, "d_model 7 does not divide by n_heads 2"},
	} {
		_, err := row.Make.New(tc.d, json.RawMessage(tc.settings))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v with settings %s: error %v, want %q", tc.d, tc.settings, err, tc.want)
		}
	}
}
