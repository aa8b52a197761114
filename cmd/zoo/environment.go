package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/internal/files"
)

// userConfigPath is the path of the user's own file of settings, "" where the system names no
// folder for it.
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

// userConfig is the user's own file of settings, "" where there is none. A file that the
// variable names must exist.
func userConfig() string {
	path := userConfigPath()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && os.Getenv(configs.FileVariable) == "" {
		return ""
	}
	return path
}

// mostKey is the size of a key's file at most: as much as the service takes of all headers.
const mostKey = 64 << 10

// apiKey is the key of a service, from a file or else from the environment; "" for none.
func apiKey(file string) (string, error) {
	key, from := os.Getenv(configs.KeyVariable), configs.KeyVariable
	if file != "" {
		data, err := files.ReadRegular(file, mostKey)
		if err != nil {
			return "", fmt.Errorf("--api-key-file: %w", err)
		}
		key, from = strings.TrimRight(string(data), "\r\n"), "--api-key-file "+file
		if key == "" {
			return "", fmt.Errorf("%s: it is empty; write a key into it, or leave the flag out", from)
		}
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s: a key has ASCII characters without spaces, on one line", from)
	}
	return key, nil
}
