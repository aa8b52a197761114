package configs

import (
	"os"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/suggest"
)

// Variables of the environment that are no settings of a run.
const (
	presetVariable = "ZOO_PRESET"  // the preset to start from
	FileVariable   = "ZOO_CONFIG"  // the path of the user's own file for zoo; the null device is none
	KeyVariable    = "ZOO_API_KEY" // the key that requests to zoo serve have to bring
	// ProviderVariable is what computes in train, sweep, study and bench where no flag says it.
	ProviderVariable = "ZOO_PROVIDER"
)

// ownVariables lists them; testVariables are those that only zoo's tests read.
var (
	ownVariables  = []string{presetVariable, FileVariable, KeyVariable, ProviderVariable, ort.EnvLibrary}
	testVariables = []string{"ZOO_REQUIRE_ORT", "ZOO_REQUIRE_WEBGPU", "ZOO_REQUIRE_CHROMIUM", "ZOO_SCREENSHOTS"}
)

const envPrefix = "ZOO_"

// isSettingVariable reports whether a variable that is set stands for a setting, or
// looks like one that does. An empty one counts as unset.
func isSettingVariable(name, value string) bool {
	return strings.HasPrefix(name, envPrefix) && value != "" &&
		!slices.Contains(ownVariables, name) && !slices.Contains(testVariables, name)
}

// CheckEnvironment refuses a variable that looks like one of zoo's and is none: a
// slip in its name would be passed over.
func CheckEnvironment(environ []string) error {
	_, err := readEnviron(environ)
	return err
}

// WithoutSettings returns an environment without settings, and without the user's
// file of them: what zoo does in it is what its command line says.
func WithoutSettings(environ []string) []string {
	out := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return name == presetVariable || isSettingVariable(name, value)
	})
	return append(out, FileVariable+"="+os.DevNull)
}

// readEnviron returns a layer for each variable of a setting or of the preset.
func readEnviron(environ []string) ([]*layer, error) {
	var out []*layer
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		key := presetKey
		if isSettingVariable(name, value) {
			var err error
			if key, err = keyOf(name); err != nil {
				return nil, err
			}
		} else if name != presetVariable || value == "" {
			continue
		}
		out = append(out, &layer{name: "environment variable " + name, values: map[string]any{key: value}, text: true})
	}
	return out, nil
}

// variable names the setting's environment variable: ZOO_TRAIN_STEPS.
func (s setting) variable() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.Key, ".", "_"))
}

// keyOf returns the key of a setting's environment variable.
func keyOf(name string) (string, error) {
	var known []string
	for _, s := range settings {
		if s.Kind != section && s.variable() == name {
			return s.Key, nil
		}
		if param, ok := strings.CutPrefix(name, s.variable()+"_"); ok && s.Kind == section && param != "" {
			return s.Key + "." + strings.ToLower(param), nil
		}
		known = append(known, s.variable())
	}
	return "", suggest.Unknown("environment variable", name, append(known, ownVariables...))
}
