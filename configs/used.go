package configs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/models"
)

// encodingKey is the key of the encoding, and sectionParam the section of its own settings.
const (
	encodingKey  = "model.encoding"
	sectionParam = "model.encoding_params"
)

// checkUsed refuses settings of models that would be passed over. Encodings are the encodings of
// all runs together, none for the configured one. The preset is for any model; a setting from
// elsewhere must be one that a run has, and that all have where it is an encoding's own or a list
// of a sweep, which would make the same run again and again.
func (l *layers) checkUsed(encodings []string) error {
	all, err := l.architectures(encodings)
	if err != nil {
		return err
	}
	var lost []string
	var without models.Architecture // which lacks them
	for _, key := range slices.Sorted(maps.Keys(l.given)) {
		g, lack := l.given[key], lacking(key, all)
		if key == encodingKey && (len(encodings) > 0 || all[0].StandsIn(fmt.Sprint(g.value))) {
			continue // another stands in its place, or it names the architecture
		}
		everyone := g.list || strings.HasPrefix(key, sectionParam)
		if g.any || len(lack) == 0 || len(lack) < len(all) && !everyone {
			continue
		}
		if lost == nil {
			without = lack[0]
		}
		if lack[0].Name == without.Name {
			lost = append(lost, fmt.Sprintf("%s=%v (%s)", key, g.value, g.name))
		}
	}
	if lost == nil {
		return nil
	}
	return without.NoSetting(strings.Join(lost, ", "))
}

// architectures returns the architectures of the runs, each once.
func (l *layers) architectures(encodings []string) ([]models.Architecture, error) {
	c := models.Config{Architecture: l.merged.GetString("model.architecture"),
		Encoding: l.merged.GetString(encodingKey), Mixer: l.merged.GetString("model.mixer")}
	if len(encodings) == 0 {
		a, err := models.ArchitectureOf(c)
		return []models.Architecture{a}, err
	}
	var all []models.Architecture
	for _, name := range encodings {
		c.Encoding = name
		a, err := models.ArchitectureOf(c)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(a.Settings, "encoding") && !a.StandsIn(name) {
			return nil, a.NoSetting(encodingKey + "=" + name)
		}
		if !slices.ContainsFunc(all, func(b models.Architecture) bool { return b.Name == a.Name }) {
			all = append(all, a)
		}
	}
	return all, nil
}

// lacking returns the architectures that have no such setting.
func lacking(key string, all []models.Architecture) []models.Architecture {
	name, ok := strings.CutPrefix(key, "model.")
	if !ok {
		return nil
	}
	name, _, _ = strings.Cut(name, ".")
	return slices.DeleteFunc(slices.Clone(all), func(a models.Architecture) bool { return slices.Contains(a.Settings, name) })
}
