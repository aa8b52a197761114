package runfile

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/tokenizer"
)

// ConfigFile is the file of the configuration in a run directory.
const ConfigFile = "config.json"

// Write stores a configuration in a run directory, and before it the tokenizer of the pretrained model that it goes on from.
func (c Config) Write(dir string) error {
	if c.From.pretrained() != nil {
		if err := files.WriteBytesAtomic(filepath.Join(dir, tokenizer.File), c.From.Tokenizer); err != nil {
			return err
		}
	}
	return files.WriteJSONAtomic(filepath.Join(dir, ConfigFile), c)
}

// maxConfig is the largest configuration that is read, in bytes.
const maxConfig = 1 << 20

// ReadConfig reads the configuration of a run directory.
func ReadConfig(dir string) (Config, error) {
	var cfg Config
	path := filepath.Join(dir, ConfigFile)
	data, err := files.ReadRegular(path, maxConfig)
	if err != nil {
		return cfg, fmt.Errorf("%s is not a run directory: %w", dir, err)
	}
	if err := json.Unmarshal(data, &cfg); err != nil {
		return cfg, fmt.Errorf("%s: %w", path, err)
	}
	if cfg, err = cfg.Resolve(); err != nil {
		return cfg, fmt.Errorf("%s: %w", path, err)
	}
	return cfg, cfg.From.readTokenizer(dir)
}
