package configs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/train/runfile"
)

// Command returns the command line that trains a run of a configuration, which has to be
// resolved, from a preset: "zoo train --preset tiny --pe rope --task copy --set train.threads=1".
// What no command line can say, such as another phase's weights, is an error.
func Command(preset string, c runfile.Config) (string, error) {
	if c.From != nil {
		return "", fmt.Errorf("it is a second phase of %s, which only zoo train --from goes on with", c.From.Run)
	}
	pe := cmp.Or(c.Model.Encoding, c.Model.Mixer, c.Model.Architecture)
	given := []Value{{Key: "train.task", Value: c.Train.Task}}
	load := func() (runfile.Config, error) {
		l, err := Load(Sources{Preset: preset, Overrides: given, Encodings: []string{pe}})
		if err != nil {
			return runfile.Config{}, err
		}
		return l.Config(pe)
	}
	words := []string{"zoo", "train", "--preset", preset, "--pe", pe, "--task", c.Train.Task}
	base, err := load()
	if err != nil {
		return "", err
	}
	for _, s := range settings {
		if s.textIn(base) == s.textIn(c) {
			continue
		}
		values := map[string]string{s.Key: s.textIn(c)}
		if s.Kind == section {
			if values, err = keysOf(s, c); err != nil {
				return "", err
			}
		}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			given = append(given, Value{Key: key, Value: values[key], From: "--set"})
			words = append(words, "--set", key+"="+values[key])
		}
	}
	again, err := load()
	if err != nil {
		return "", err
	}
	if differs := Difference(again, c); differs != "" {
		return "", fmt.Errorf("no command line from the preset %s gives its settings: %s", preset, differs)
	}
	return strings.Join(words, " "), nil
}

// keysOf lists the values of a section by their whole keys.
func keysOf(s setting, c runfile.Config) (map[string]string, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s.textIn(c)), &values); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Key, err)
	}
	out := map[string]string{}
	for key, value := range values {
		out[s.Key+"."+key] = strings.Trim(string(value), `"`)
	}
	return out, nil
}
