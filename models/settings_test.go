package models_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/models"
)

// changes give every setting a value that it does not have in the test's models.
func changes() map[string]func(*models.Config) {
	return map[string]func(*models.Config){
		"settings":        func(c *models.Config) { c.Settings = "faithful" },
		"encoding":        func(c *models.Config) { c.Encoding = "nope" },
		"encoding_params": func(c *models.Config) { c.EncodingParams = json.RawMessage(`{"theta":500}`) },
		"d_model":         func(c *models.Config) { c.DModel = 32 },
		"n_layers":        func(c *models.Config) { c.NLayers = 5 },
		"n_heads":         func(c *models.Config) { c.NHeads = 4 },
		"d_head":          func(c *models.Config) { c.DHead = 12 },
		"d_ff":            func(c *models.Config) { c.DFF = 64 },
		"vocab_size":      func(c *models.Config) { c.VocabSize = 10 },
		"activation":      func(c *models.Config) { c.Activation = "gelu" },
		"attention_scale": func(c *models.Config) { c.AttentionScale = "none" },
		"head_scale":      func(c *models.Config) { c.HeadScale = "sqrt" },
		"init":            func(c *models.Config) { c.Init = "t5" },
		"norm_eps":        func(c *models.Config) { c.NormEps = 1e-3 },
		"n_units":         func(c *models.Config) { c.NUnits = 16 },
		"n_modules":       func(c *models.Config) { c.NModules = 4 },
		"periods":         func(c *models.Config) { c.Periods = []int{1, 3, 4, 5, 6, 7, 8, 9} },
	}
}

// TestSettings checks that a model's settings are those that make a difference to
// it, but for the name of a family of defaults, which every configuration keeps.
func TestSettings(t *testing.T) {
	config := reflect.TypeFor[models.Config]()
	for _, encoding := range []string{"rope", "cwrnn"} {
		base := models.Config{Encoding: encoding, DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: 9}
		plain, err := base.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		has := models.Settings(encoding)
		for i := range config.NumField() {
			key, _, _ := strings.Cut(config.Field(i).Tag.Get("json"), ",")
			changed := base
			changes()[key](&changed)
			got, err := changed.Resolve()
			if key == "settings" {
				got.Settings = plain.Settings
			}
			if matters := err != nil || !cmp.Equal(got, plain); matters != slices.Contains(has, key) && key != "encoding_params" {
				t.Errorf("%s of %s makes a difference: %v, but its settings are %v", key, encoding, matters, has)
			}
			if key == "encoding_params" && (err == nil) != slices.Contains(has, key) {
				t.Errorf("%s of %s: error %v, but its settings are %v", key, encoding, err, has)
			}
		}
	}
}
