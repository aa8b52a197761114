package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nopezoo/zoo/configs"
)

// userConfigPath is where the user's own file of settings is looked for, "" where
// the system names no folder for it.
func userConfigPath() string {
	switch path := os.Getenv(configs.FileVariable); path {
	case "":
	case os.DevNull:
		return ""
	default:
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
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && os.Getenv(configs.FileVariable) == "" {
		return ""
	}
	return path
}
