package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/internal/suggest"
)

// part is settings that runs share, and lists of values, whose every combination is a
// run. A sweep file is one part, or holds several under the key parts. A part inherits the keys above
// it in the file: sections are merged key by key, lists and the preset are replaced.
type part struct {
	name   string // in the names of its runs; "" for none
	shared []byte // the preset and the sections model and train, as JSON
	axes   []axis // the first varies slowest
	bench  bench
}

// Keys of a sweep file; the lists have others.
const (
	partsKey  = "parts"
	nameKey   = "name" // of a part
	presetKey = "preset"
	gridKey   = "grid"
	benchKey  = "bench"
)

// sections are merged key by key.
var sections = []string{"model", "train", gridKey, benchKey}

// checkKeys wants the known keys, and further ones that are allowed in the place.
func checkKeys(all map[string]any, further ...string) error {
	known := append([]string{presetKey}, sections...)
	for _, l := range namedLists() {
		known = append(known, l.from)
	}
	known = append(known, further...)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(known, key) {
			return suggest.Unknown("key", key, known)
		}
	}
	return nil
}

// readParts reads the one part of a file, or its several.
func readParts(all map[string]any) ([]part, error) {
	listed, several := all[partsKey]
	if !several {
		p, err := readPart(all)
		return []part{p}, err
	}
	above := maps.Clone(all)
	delete(above, partsKey)
	values, ok := listed.([]any)
	if !ok || len(values) == 0 {
		return nil, fmt.Errorf("parts is %v: want a list of parts, such as - {name: small, tasks: [copy]}", listed)
	}
	var out []part
	for i, value := range values {
		own, ok := value.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("part %d is %v: want keys with values, such as {name: small, tasks: [copy]}", i+1, value)
		}
		p, err := readInherited(above, own)
		if err != nil {
			return nil, fmt.Errorf("part %d%s: %w", i+1, quotedName(p.name), err)
		}
		out = append(out, p)
	}
	return out, nil
}

func quotedName(name string) string {
	if name == "" {
		return ""
	}
	return " (" + name + ")"
}

// readInherited reads a part with the keys above it.
func readInherited(above, own map[string]any) (p part, err error) {
	name, named := own[nameKey]
	text, _ := name.(string)
	if named && (text == "" || fileWord(text) != text) {
		return p, fmt.Errorf("name is %v: want letters, digits, and . _ + -, since it is part of the names of folders", name)
	}
	p.name = text
	if err := cmp.Or(checkKeys(own, nameKey), checkHidden(above, own)); err != nil {
		return p, err
	}
	merged := configs.Over(above, own)
	delete(merged, nameKey)
	read, err := readPart(merged)
	read.name = text
	return read, err
}

// checkHidden refuses a setting of a part that a list above it would win over.
func checkHidden(above, own map[string]any) error {
	hidden := func(key, list, remedy string) error {
		if value, given := valueAt(own, strings.Split(key, ".")); given {
			return fmt.Errorf("%s: %s above the parts lists it too; give the part a list of its own: %s: [%v]",
				key, list, remedy, value)
		}
		return nil
	}
	for _, l := range namedLists() {
		if above[l.from] == nil || own[l.from] != nil {
			continue
		}
		if err := hidden(l.key, l.from, l.from); err != nil {
			return err
		}
	}
	grid, _ := above[gridKey].(map[string]any)
	ownGrid, _ := own[gridKey].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(grid)) {
		if ownGrid[key] != nil {
			continue
		}
		if err := hidden(key, gridKey, "in grid, "+key); err != nil {
			return err
		}
	}
	return nil
}

// valueAt finds a setting in sections, and sections of these.
func valueAt(section map[string]any, path []string) (value any, given bool) {
	value, given = section[path[0]]
	if !given || len(path) == 1 {
		return value, given
	}
	below, _ := value.(map[string]any)
	return valueAt(below, path[1:])
}

// readPart reads keys that are checked.
func readPart(all map[string]any) (part, error) {
	p := part{}
	shared := map[string]any{}
	for _, key := range []string{presetKey, "model", "train"} {
		value, given := all[key]
		if _, ok := value.(string); given && key == presetKey && !ok {
			return p, fmt.Errorf("preset is %v: want text", value)
		}
		if given {
			shared[key] = value
		}
	}
	if err := p.readAxes(all); err != nil {
		return p, err
	}
	var err error
	if p.bench, err = readBench(all[benchKey]); err != nil {
		return p, err
	}
	p.shared, err = json.Marshal(shared) // YAML as well
	return p, err
}
