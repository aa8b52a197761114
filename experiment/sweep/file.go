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
	"github.com/nopezoo/zoo/internal/placement"
	"github.com/nopezoo/zoo/internal/wrap"
)

// file is a sweep as its file gives it.
type file struct {
	name  string // of the sweep
	parts []part // in the order in which they are trained
	at    placement.Placement
}

// StudyFile is what the sweep file of a study is called; its folder has the sweep's name.
const StudyFile = "sweep.yaml"

// Read reads a sweep file, whose runs are trained in a folder below root that has the sweep's name,
// and lists the run of every combination, each with its directory and with what it takes. All are
// checked, and nothing is written. at is where the file would have runs trained. A path that is not on disk may be the name of an embedded sweep
// (configs.Names). The sources are what the sweep file wins over or gives way to, as
// configs.Sources says; its Sweep, Lists and Encodings are the sweep's own.
func Read(path, root string, s configs.Sources) (folder string, runs []Run, at placement.Placement, err error) {
	f, err := read(path)
	if err != nil {
		return "", nil, at, err
	}
	folder = filepath.Join(root, f.name)
	runs, err = f.runs(folder, s)
	return folder, runs, f.at, err
}

func read(path string) (*file, error) {
	data, err := files.ReadRegular(path, configs.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) && slices.Contains(configs.Names(configs.Sweeps), path) {
		about, unknown := configs.Describe(configs.Sweeps, path)
		data, err = []byte(about.Text), unknown
	}
	if err != nil {
		return nil, fmt.Errorf("sweep file: %w; or name one of %s", err, strings.Join(configs.Names(configs.Sweeps), ", "))
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("sweep file %s is empty; zoo sweep --help has the keys of one", path)
	}
	name, err := nameOf(path)
	if err != nil {
		return nil, fmt.Errorf("sweep file %s: %w", path, err)
	}
	f, err := parse(name, data)
	return wrap.Value(f, err, "sweep file %s", path)
}

// nameOf names a sweep by its file, and a study's by its folder.
func nameOf(path string) (string, error) {
	base := filepath.Base(path)
	if base == StudyFile {
		full, err := filepath.Abs(path)
		return filepath.Base(filepath.Dir(full)), err
	}
	return strings.TrimSuffix(base, filepath.Ext(base)), nil
}

// parse reads the YAML text of a sweep. It may hold a preset to start from; settings of all
// runs in the sections model and train; lists of tasks, encodings and seeds; in the
// section grid a list for any other key, as in train.lr: [1e-3, 2e-3]; in the section bench how
// the models are measured; in the section placement where the runs are trained; and parts, which have all of these again (see part). Whether the
// values can be is checked by runs.
func parse(name string, data []byte) (*file, error) {
	v := viper.NewWithOptions(viper.KeyDelimiter("\x00")) // the grid's keys hold dots
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(data)); err != nil {
		return nil, err
	}
	all := v.AllSettings()
	if err := checkKeys(all, partsKey, placement.Key); err != nil {
		return nil, err
	}
	f := &file{name: name}
	var err error
	if f.at, err = placement.Read(all[placement.Key]); err != nil {
		return f, err
	}
	f.parts, err = readParts(all)
	return f, err
}
