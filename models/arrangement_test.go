package models_test

import (
	"cmp"
	"encoding/json"

	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// arrangement is what the layers of a model have: the suites go over them.
type arrangement struct {
	name     string
	encoding string // "": the name
	params   string
	window   models.Windows
}

// arrangements are one for each encoding of the table, and models with windows or whose
// layers differ. Windows are shorter than what the suites read.
func arrangements() []arrangement {
	settings := map[string]string{"swa": `{"window":3}`}
	var out []arrangement
	for _, row := range pe.Table() {
		out = append(out, arrangement{name: row.Name, params: settings[row.Name]})
	}
	out = append(out,
		arrangement{name: "rope/nope"}, arrangement{name: "alibi/learned"}, arrangement{name: "txl/t5"},
		arrangement{name: "swa/nope", params: `{"swa":{"window":3}}`},
		arrangement{name: "rope/nope, windows", encoding: "rope/nope", window: "4/0"},
		arrangement{name: "swa, windows", encoding: "swa", params: `{"window":3}`, window: "2/5"},
	)
	for _, row := range pe.Table() {
		if row.Name != "swa" {
			out = append(out, arrangement{name: row.Name + " in a window", encoding: row.Name, window: "4"})
		}
	}
	return out
}

// config is a micro model's.
func (a arrangement) config(settings string) models.Config {
	cfg := micro(cmp.Or(a.encoding, a.name), settings)
	cfg.EncodingParams, cfg.Window = json.RawMessage(a.params), a.window
	return cfg
}
