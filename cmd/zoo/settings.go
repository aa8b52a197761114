package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/train"
)

// kind is the type of a setting's value.
type kind string

const (
	wholeNumber kind = "a whole number"
	natural     kind = "a whole number of 0 or more"
	number      kind = "a number"
	text        kind = "text"
	numbers     kind = "a list of whole numbers"
	section     kind = "a section with keys of its own" // keys that only the encoding knows
	scalar      kind = "a number, text, true or false"  // one of a section's keys
)

// setting is one value of a run's configuration.
type setting struct {
	key  string // as in a config file: "train.steps"
	kind kind
}

const (
	envPrefix     = "ZOO_"
	sectionParam  = "model.encoding_params"
	defaultPreset = "tiny"
)

// env names the setting's environment variable: ZOO_TRAIN_STEPS.
func (s setting) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.key, ".", "_"))
}

// settings lists what train.Config holds, in its order.
func settings() []setting {
	var out []setting
	config := reflect.TypeFor[train.Config]()
	for i := range config.NumField() {
		part := config.Field(i)
		for k := range part.Type.NumField() {
			f := part.Type.Field(k)
			out = append(out, setting{jsonName(part) + "." + jsonName(f), kindOf(f.Type)})
		}
	}
	return out
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func kindOf(t reflect.Type) kind {
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
		if t.Elem().Kind() == reflect.Int {
			return numbers
		}
		return section // json.RawMessage
	}
	panic(fmt.Sprintf("train.Config has a field of type %v, which no setting can have", t)) // a field added to the struct alone
}

// findSetting returns the setting of a key, one inside a section too.
func findSetting(key string) (setting, error) {
	all := settings()
	if i := slices.IndexFunc(all, func(s setting) bool { return s.key == key }); i >= 0 && all[i].kind != section {
		return all[i], nil
	}
	for _, s := range all {
		if name, ok := strings.CutPrefix(key, s.key+"."); ok && s.kind == section && name != "" {
			return setting{key, scalar}, nil
		}
		if strings.HasPrefix(s.key, key+".") || s.key == key {
			return setting{}, fmt.Errorf("%s is a section: give its keys, not a value", key)
		}
	}
	return setting{}, unknown("key", key, each(all, func(s setting) string { return s.key }))
}

// findEnv returns the setting of an environment variable.
func findEnv(name string) (setting, error) {
	all := settings()
	for _, s := range all {
		if s.kind != section && s.env() == name {
			return s, nil
		}
		if param, ok := strings.CutPrefix(name, s.env()+"_"); ok && s.kind == section && param != "" {
			return setting{s.key + "." + strings.ToLower(param), scalar}, nil
		}
	}
	return setting{}, unknown("environment variable", name, append(each(all, setting.env), ownVariables...))
}

// parse reads a value from text: of a flag, a variable or --set.
func (k kind) parse(s string) (any, error) {
	var v any
	var err error
	switch k {
	case wholeNumber:
		v, err = strconv.Atoi(s)
	case natural:
		v, err = strconv.ParseUint(s, 10, 64)
	case number:
		v, err = strconv.ParseFloat(s, 64)
	case scalar:
		v = guess(s)
	case numbers: // with commas
		var list []int
		for part := range strings.SplitSeq(s, ",") {
			n, wrong := strconv.Atoi(strings.TrimSpace(part))
			list, err = append(list, n), cmp.Or(err, wrong)
		}
		v = list
	default:
		v = s
	}
	if f, ok := v.(float64); err != nil || ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return nil, fmt.Errorf("want %s", k)
	}
	return v, nil
}

// guess gives a section's value the type that it looks like.
func guess(s string) any {
	if v, err := strconv.Atoi(s); err == nil {
		return v
	}
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return v
	}
	if s == "true" || s == "false" {
		return s == "true"
	}
	return s
}

// convert checks a value from a YAML file. It is strict: "5" is text, not a
// number.
func (k kind) convert(v any) (any, error) {
	switch x := v.(type) {
	case string:
		if k == text || k == scalar {
			return x, nil
		}
	case bool:
		if k == scalar {
			return x, nil
		}
	case []any:
		if k != numbers {
			break
		}
		var list []int
		for _, e := range x {
			n, err := wholeNumber.convert(e)
			if err != nil {
				return nil, fmt.Errorf("want %s", k)
			}
			list = append(list, n.(int))
		}
		return list, nil
	case int, int64, uint64, float64:
		if k == text || k == numbers {
			break
		}
		if f, ok := x.(float64); ok && k != number && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			x = int64(f) // 1e3 is a whole number too
		}
		return k.parse(fmt.Sprint(x))
	}
	return nil, fmt.Errorf("want %s", k)
}

// flatten writes every value of a configuration as text, by key.
func flatten(c train.Config) map[string]string {
	out := map[string]string{}
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		part := v.Field(i)
		for k := range part.NumField() {
			key := jsonName(v.Type().Field(i)) + "." + jsonName(part.Type().Field(k))
			value := part.Field(k).Interface()
			if raw, ok := value.(json.RawMessage); ok {
				value = cmp.Or(string(raw), "{}")
			}
			out[key] = fmt.Sprint(value)
		}
	}
	return out
}
