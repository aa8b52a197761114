package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/runtime/ort"
)

// Variables of the environment that are no settings of a run.
const (
	presetVariable = "ZOO_PRESET" // the preset to start from
	configVariable = "ZOO_CONFIG" // the user's file of settings, in place of the one in the usual folder
)

// ownVariables lists them; testVariables are those that only zoo's tests read.
var (
	ownVariables  = []string{presetVariable, configVariable, ort.EnvLibrary}
	testVariables = []string{"ZOO_REQUIRE_ORT", "ZOO_REQUIRE_CHROMIUM", "ZOO_SCREENSHOTS"}
)

// isSettingVariable reports whether a variable that is set stands for a setting, or
// looks like one that does. An empty one counts as unset.
func isSettingVariable(name, value string) bool {
	return strings.HasPrefix(name, envPrefix) && value != "" && !slices.Contains(ownVariables, name) && !slices.Contains(testVariables, name)
}

// checkEnvironment refuses a variable that looks like one of zoo's and is none: a
// slip in its name would be passed over.
func checkEnvironment(environ []string) error {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !isSettingVariable(name, value) {
			continue
		}
		if _, err := findEnv(name); err != nil {
			return err
		}
	}
	return nil
}

// userConfigPath is where the user's own file of settings is looked for, "" where
// the system names no folder for it.
func userConfigPath() string {
	if path := os.Getenv(configVariable); path != "" {
		return path
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "zoo", "config.yaml")
}

// userConfig is the user's own file of settings, "" where there is none. One that a
// variable names must be there.
func userConfig() string {
	path := userConfigPath()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && os.Getenv(configVariable) == "" {
		return ""
	}
	return path
}

// settingFree returns an environment without settings, and without the user's file
// of them: what a command does in it is what the command says.
func settingFree(environ []string) []string {
	out := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return name == presetVariable || isSettingVariable(name, value)
	})
	return append(out, configVariable+"="+os.DevNull)
}
