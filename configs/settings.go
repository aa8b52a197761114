package configs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/train/runfile"
)

// setting is one value of a run's configuration.
type setting struct {
	Key  string // as in a config file: "train.steps"
	Kind string // what values it takes, such as "a whole number"
	Text string // the value in a configuration; of a section JSON

	field []int // of runfile.Config; nil for a key of a section
}

// What values a setting takes.
const (
	wholeNumber = "a whole number"
	natural     = "a whole number of 0 or more"
	number      = "a number"
	text        = "text"
	numbers     = "a list of whole numbers"
	fractions   = "a list of numbers"
	section     = "a section with keys of its own" // keys that only the encoding knows
	scalar      = "a number, text, true or false"  // one of a section's keys
)

var settings = fieldsOf(reflect.TypeFor[runfile.Config]())

// Settings lists the settings of a configuration, in the order of runfile.Config.
func Settings(c runfile.Config) []setting {
	out := slices.Clone(settings)
	for i, s := range out {
		out[i].Text = s.textIn(c)
	}
	return out
}

func fieldsOf(config reflect.Type) []setting {
	var out []setting
	for i := range config.NumField() {
		part := config.Field(i)
		if part.Type.Kind() != reflect.Struct {
			continue // where a run begins is no setting
		}
		for k := range part.Type.NumField() {
			f := part.Type.Field(k)
			out = append(out, setting{Key: jsonName(part) + "." + jsonName(f), Kind: kindOf(f.Type), field: []int{i, k}})
		}
	}
	return out
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int:
		return wholeNumber
	case reflect.Uint64:
		return natural
	case reflect.Float64:
		return number
	case reflect.String:
		return text
	case reflect.Slice:
		switch t.Elem().Kind() {
		case reflect.Int:
			return numbers
		case reflect.Float64:
			return fractions
		}
		return section // json.RawMessage
	}
	// Only a field that was added to the struct alone comes here.
	panic(fmt.Sprintf("runfile.Config has a field of type %v, which no setting can have", t))
}

// Find returns the setting of a key, which may be one inside a section:
// "model.encoding_params.theta". The error for an unknown key names the nearest.
func Find(key string) (setting, error) {
	for _, s := range settings {
		if s.Key == key && s.Kind != section {
			return s, nil
		}
		if name, ok := strings.CutPrefix(key, s.Key+"."); ok && s.Kind == section && name != "" {
			return setting{Key: key, Kind: scalar}, nil
		}
		if strings.HasPrefix(s.Key, key+".") || s.Key == key {
			return setting{}, fmt.Errorf("%s is a section: give its keys, not a value", key)
		}
	}
	known := lists.Map(settings, func(s setting) string { return s.Key })
	for _, r := range pe.Table() {
		for _, s := range r.Make.Settings {
			if s.Name == key {
				return setting{}, suggest.Unknown("key", key, append(known, "model.encoding_params."+key))
			}
		}
	}
	return setting{}, suggest.Unknown("key", key, known)
}

// textIn returns the setting's value in a configuration as text; a section is JSON.
func (s setting) textIn(c runfile.Config) string {
	value := reflect.ValueOf(c).FieldByIndex(s.field).Interface()
	if raw, ok := value.(json.RawMessage); ok {
		var b bytes.Buffer // without the spaces that the file of a run has
		if json.Compact(&b, raw) != nil {
			return cmp.Or(string(raw), "{}")
		}
		return b.String()
	}
	return fmt.Sprint(value)
}

// Difference names the settings in which two configurations differ, with both values:
// "train.steps was 3, now 4"; "" where none does.
func Difference(was, now runfile.Config) string {
	var out []string
	for _, s := range settings {
		if a, b := s.textIn(was), s.textIn(now); a != b {
			out = append(out, fmt.Sprintf("%s was %s, now %s", s.Key, a, b))
		}
	}
	if a, b := was.From, now.From; !reflect.DeepEqual(a, b) {
		out = append(out, fmt.Sprintf("it began with %v, now with %v", a, b))
	}
	return strings.Join(out, "; ")
}

// fromText returns the value that a text stands for, of a flag, a variable or --set.
// Whether it is one that the setting takes is seen when all layers are merged.
func (s setting) fromText(str string) any {
	switch s.Kind {
	case text:
		return str
	case numbers, fractions: // with commas
		list := []any{}
		for part := range strings.SplitSeq(str, ",") {
			list = append(list, guess(strings.TrimSpace(part)))
		}
		return list
	}
	return guess(str)
}

// guess gives a text the type that it looks like.
func guess(s string) any {
	if v, err := strconv.Atoi(s); err == nil {
		return v
	}
	if v, err := strconv.ParseUint(s, 10, 64); err == nil {
		return v
	}
	if v, err := strconv.ParseFloat(s, 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
		return v
	}
	if s == "true" || s == "false" {
		return s == "true"
	}
	return s
}
