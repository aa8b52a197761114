package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/internal/files"
)

// File is a sweep as its file gives it.
type File struct {
	Name  string // of the sweep, such as that of its file without the ending
	parts []part // in the order in which they are trained
}

// StudyFile is what the sweep file of a study is called; its folder has the sweep's name.
const StudyFile = "sweep.yaml"

// Read reads a sweep file; one that is not on disk may be an embedded one, by its name
// (configs.Sweeps).
func Read(path string) (*File, error) {
	data, err := files.ReadRegular(path, configs.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) && slices.Contains(configs.Sweeps(), path) {
		data, err = configs.ReadSweep(path)
	}
	if err != nil {
		return nil, fmt.Errorf("sweep file: %w; or name one of %s", err, strings.Join(configs.Sweeps(), ", "))
	}
	name, err := nameOf(path)
	if err != nil {
		return nil, fmt.Errorf("sweep file %s: %w", path, err)
	}
	f, err := Parse(name, data)
	if err != nil {
		return nil, fmt.Errorf("sweep file %s: %w", path, err)
	}
	return f, nil
}

// nameOf names a sweep by its file, and that of a study by its folder.
func nameOf(path string) (string, error) {
	base := filepath.Base(path)
	if base == StudyFile {
		whole, err := filepath.Abs(path)
		return filepath.Base(filepath.Dir(whole)), err
	}
	return strings.TrimSuffix(base, filepath.Ext(base)), nil
}

// Parse reads the YAML text of a sweep. It may hold a preset to start from; settings of all
// runs in the sections model and train; lists of tasks, encodings and seeds; in the
// section grid a list for any other key, as in train.lr: [1e-3, 2e-3]; in the section bench how
// the models are measured; and parts, which have all of these again (see part). Whether the
// values can be is checked by Runs.
func Parse(name string, data []byte) (*File, error) {
	v := viper.NewWithOptions(viper.KeyDelimiter("\x00")) // the grid's keys hold dots
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(data)); err != nil {
		return nil, err
	}
	all := v.AllSettings()
	if err := checkKeys(all, partsKey); err != nil {
		return nil, err
	}
	f := &File{Name: name}
	var err error
	f.parts, err = readParts(all)
	return f, err
}
