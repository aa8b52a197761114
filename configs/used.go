package configs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/models"
)

// sectionParam is the section of the encoding's own settings.
const sectionParam = "model.encoding_params"

// checkUsed refuses settings of models that would be passed over. Encodings are
// those of all runs together, none for the configured one. The preset is for any
// model; a setting from elsewhere must be one of at least one of the runs, and of
// all of them where it is an encoding's own or a list of a sweep, which would make
// the same run again and again.
func (l *Layers) checkUsed(encodings []string) error {
	if len(encodings) == 0 {
		encodings = []string{l.merged.GetString("model.encoding")}
	}
	var lost, without []string // without are the encodings that lack them
	for _, key := range slices.Sorted(maps.Keys(l.given)) {
		g, lack := l.given[key], lacking(key, encodings)
		everyone := g.list || strings.HasPrefix(key, sectionParam)
		if g.any || len(lack) == 0 || len(lack) < len(encodings) && !everyone {
			continue
		}
		if lost == nil {
			without = lack
		}
		if slices.Equal(lack, without) {
			lost = append(lost, fmt.Sprintf("%s=%v (%s)", key, g.value, g.name))
		}
	}
	if lost == nil {
		return nil
	}
	var has []string
	for _, name := range models.Settings(without[0]) {
		has = append(has, "model."+name)
	}
	return fmt.Errorf("%s: no setting of %s, whose settings are %s; leave out the one or the other",
		strings.Join(lost, ", "), strings.Join(without, ", "), strings.Join(has, ", "))
}

// lacking returns the encodings whose models have no such setting. Unknown
// encodings are left for others to refuse.
func lacking(key string, encodings []string) []string {
	name, ok := strings.CutPrefix(key, "model.")
	if !ok {
		return nil
	}
	name, _, _ = strings.Cut(name, ".")
	return slices.DeleteFunc(slices.Clone(encodings), func(encoding string) bool {
		return !slices.Contains(models.Encodings(), encoding) || slices.Contains(models.Settings(encoding), name)
	})
}
