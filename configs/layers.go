package configs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/spf13/viper"

	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train/runfile"
)

// Sources says where a run's configuration comes from; the zero value is the
// default preset. A later field wins over those before it. Files may name the
// preset that they are about ("preset: small"), and so may the environment.
type Sources struct {
	User      string   // path of the user's own file, in the form of the presets and for any model; "" for none
	File      string   // path of a file in the form of the presets; "" for none
	Sweep     []byte   // what all runs of a sweep have, in the form of the presets; nil for none
	Environ   []string // such as os.Environ(): ZOO_TRAIN_STEPS=100
	Overrides []Value  // as by flags; where the value is text, it is read as the setting's type
	Lists     []Value  // of the lists of a sweep; a variable or an override that gives the same key is an error
	Preset    string   // the preset to start from, in place of what files and environment say; "" for theirs
	// From has the weights that the run begins with, nil for none (see train.StartAt). The settings of a run stand in the
	// preset's place, and the model of a folder or file of weights in that of the preset's model.
	From *runfile.Start
	// Change is of the model of From.
	Change models.Intervention
	// Encodings are the names that Config will be asked for; none stands for the configured
	// one. A setting that no model of theirs has is an error, unless the preset or the user's
	// own file gives it.
	Encodings []string
}

// Value is one setting's value.
type Value struct {
	Key   string // "train.steps"
	Value any    // "100", or 100
	From  string // what messages call its origin, such as "--steps"
}

// layers is a configuration merged from its layers.
type layers struct {
	Preset string // the one that it starts from

	merged *viper.Viper
	given  map[string]given // the value that won, by key

	from     *runfile.Start
	run      string         // the name of the model of from; "" for none
	encoding string         // of that model
	own      map[string]any // that encoding's own settings there; nil for none
}

// given is a value as it was given.
type given struct {
	value any
	*layer
}

// Load merges the layers. Unknown keys, variables and presets are errors that name
// the nearest known one. Whether the values can be is checked by Config.
func Load(s Sources) (*layers, error) {
	above, err := s.read()
	if err != nil {
		return nil, err
	}
	l := &layers{Preset: s.Preset, merged: viper.New(), given: map[string]given{}}
	if l.Preset == "" {
		l.Preset = fmt.Sprint(cmp.Or(last(above, presetKey), any(DefaultPreset)))
	}
	var lowest []*layer
	l.from = s.From
	switch task := last(above, "train.task"); {
	case s.From == nil:
		lowest, err = readPreset(l.Preset, task)
	case hf.IsFolder(s.From.Run) || hf.IsGGUF(s.From.Run):
		lowest, err = l.readWeights(s.From.Run, task)
	case s.Preset != "":
		err = fmt.Errorf("preset %s: the settings of the run %s stand in its place; leave out the one or the other",
			s.Preset, s.From.Run)
	default:
		lowest, err = l.readRun(s.From.Run, task)
	}
	if err != nil {
		return nil, err
	}
	for _, x := range append(lowest, above...) {
		if err := l.put(x); err != nil {
			return nil, err
		}
	}
	return l, l.checkUsed(s.Encodings)
}

// put merges a layer over those before it.
func (l *layers) put(x *layer) error {
	for _, key := range slices.Sorted(maps.Keys(x.values)) {
		if key == presetKey {
			continue
		}
		s, err := Find(key)
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		if below := l.given[key]; x.list && below.layer != nil && below.text {
			return fmt.Errorf("%s gives %s, and %s does too; give it once", below.name, key, x.name)
		}
		value := x.values[key]
		l.given[key] = given{value, x}
		// encoding/json would pass over null, viper over an empty map, and a section takes any JSON.
		kind := reflect.ValueOf(value).Kind()
		if kind == reflect.Invalid || kind == reflect.Map || kind == reflect.Slice && s.Kind == scalar {
			return l.given[key].refused(s)
		}
		if str, ok := value.(string); ok && x.text {
			value = s.fromText(str)
		}
		if f, ok := value.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			value = fmt.Sprint(f) // which is no number to JSON, so that Config refuses it
		}
		l.merged.Set(key, value)
	}
	return nil
}

// Config returns the resolved configuration; encoding, if not "", replaces the
// configured one. The error for a value of the wrong type names its origin.
func (l *layers) Config(encoding string) (runfile.Config, error) {
	var c runfile.Config
	data, err := json.Marshal(l.settings(cmp.Or(encoding, l.merged.GetString(encodingKey))))
	if err != nil {
		return c, err
	}
	// JSON is strict: "5" is no number, 1.5 no whole number, but 1e3 is one.
	if err := json.Unmarshal(data, &c); err != nil {
		return c, l.explain(err)
	}
	c.Model.Encoding, c.From = cmp.Or(encoding, c.Model.Encoding), l.from
	if c, err = c.Resolve(); err != nil {
		return c, err
	}
	if c.Model.Name() != l.run { // what is absent in a run stays so in its second phase
		if c, err = c.Renew(); err != nil {
			return c, err
		}
	}
	_, err = models.New(c.Model) // checks the encoding's own settings
	return c, err
}

// explain says in the words of the settings which value has the wrong type.
func (l *layers) explain(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	s, unknown := Find(wrong.Field)
	if unknown != nil {
		return err
	}
	return l.given[s.Key].refused(s)
}

func (g given) refused(s setting) error {
	return fmt.Errorf("%s is %s (%s): want %s", s.Key, quoted(g.value), g.name, s.Kind)
}

func quoted(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(v)
}
