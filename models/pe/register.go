package pe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/suggest"
)

// registered are the rows of other modules, in the order in which they came.
var registered []Row

// Names become parts of file names, of lists with commas and of patterns.
var validName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Register adds a row at the end of the table, for an encoding that is written
// elsewhere. Call it from an init function: nothing locks the table. As with
// sql.Register, a row that is not complete or whose name is taken panics. A program that
// opens a run of the encoding needs the registration too.
func Register(r Row) {
	if err := r.check(); err != nil {
		panic(fmt.Sprintf("pe: encoding %q cannot be registered: %v", r.Name, err))
	}
	registered = append(registered, r)
}

func (r Row) check() error {
	if !validName.MatchString(r.Name) {
		return fmt.Errorf("its name is not made of lower-case letters, digits and hyphens, a letter first")
	}
	if slices.ContainsFunc(Table(), func(other Row) bool { return other.Name == r.Name }) {
		return fmt.Errorf("the table has a row of this name")
	}
	if r.Make.New == nil {
		return fmt.Errorf("its Make is empty; With makes one")
	}
	if len(r.Paper) > 0 && json.Unmarshal(r.Paper, &map[string]json.RawMessage{}) != nil {
		return fmt.Errorf("its Paper %s is not a JSON object", r.Paper)
	}
	return nil
}

// With makes a Row.Make of a constructor with its own settings struct P, which is
// read from JSON; settings that P does not have are an error. The tag "about" of P's fields says what they are.
func With[P any](f func(Dims, P) (Encoding, error)) maker {
	return maker{settingsOf(reflect.TypeFor[P]()), func(d Dims, raw json.RawMessage) (Encoding, error) {
		p, err := parse[P](raw)
		if err != nil {
			return nil, err
		}
		return f(d, p)
	}}
}

// settingsOf lists the fields of a settings struct, and of those embedded in it.
func settingsOf(settings reflect.Type) (out []setting) {
	for i := range settings.NumField() {
		f := settings.Field(i)
		if f.Anonymous {
			out = append(out, settingsOf(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, setting{cmp.Or(name, f.Name), f.Tag.Get("about")})
	}
	return out
}

// parse reads settings.
func parse[P any](raw json.RawMessage) (p P, err error) {
	if len(raw) == 0 {
		return p, nil
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) == nil { // else the error is below
		known := lists.Map(settingsOf(reflect.TypeFor[P]()), func(s setting) string { return s.Name })
		for _, key := range slices.Sorted(maps.Keys(given)) {
			if !slices.Contains(known, key) {
				return p, fmt.Errorf("settings %s: %w", raw, suggest.Unknown("key", key, known))
			}
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, fmt.Errorf("settings %s: %w", raw, err)
	}
	return p, nil
}
