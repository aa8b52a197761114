package find

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train/runfile"
	"github.com/nopezoo/zoo/zoo"
)

// Model is a model that was found: a file, a run, a folder of weights, or one of the
// catalogue.
type Model struct {
	Label    string // the model's name in tables
	From     string // where it was found, for people
	Encoding string // or the architecture that has none; "" for a file, whose card says it
	File     string // path of an ONNX file, "" for the others
	Run      string // run directory, "" for the others
	Folder   string // that the model is read from, a run or one of weights; "" for the others

	intervention models.Intervention
	means        HeadMeans // of the intervention
	dtype        string    // of its files; "" as the card says

	options    Options
	checkpoint func() (c *runfile.Checkpoint, skipped []error, err error) // of a run
	load       func() (modelfile.Model, error)                            // of the others that are no file
}

// Load reads configuration, weights and card. A file has none of its own: it is what
// ONNX returns.
func (m Model) Load() (modelfile.Model, error) {
	loaded, err := m.asTrained()
	if err != nil {
		return loaded, err
	}
	loaded.Card.DType = cmp.Or(m.dtype, loaded.Card.DType)
	if m.intervention.IsZero() {
		return loaded, nil
	}
	return intervene(loaded, m.intervention, m.means)
}

// asTrained is Load without the intervention.
func (m Model) asTrained() (modelfile.Model, error) {
	if m.checkpoint != nil {
		c, err := m.Checkpoint()
		if err != nil {
			return modelfile.Model{}, err
		}
		described, err := c.Card(m.options.ToolVersion)
		return modelfile.Model{Config: c.Config.Model, Weights: c.Weights, Card: described}, err
	}
	if m.load == nil {
		return modelfile.Model{}, fmt.Errorf("%s is an ONNX file already, not what one is built from", m.From)
	}
	return m.load()
}

// ONNX returns the model's file. One that is a file already is what it is, whatever
// the profile.
func (m Model) ONNX(profile string) ([]byte, error) {
	if m.File != "" {
		return safety.ReadFile(m.File, m.options.LinksWithin)
	}
	loaded, err := m.Load()
	if err != nil {
		return nil, err
	}
	return loaded.ONNX(profile)
}

// Beside is where the files are that belong to an ONNX file of another program; nil for a model that is
// no file.
func (m Model) Beside() fs.FS {
	if m.File == "" {
		return nil
	}
	return foreign.Folder(m.File)
}

// Inputs lists the files that the model is, or is among.
func (m Model) Inputs() []string {
	if m.File != "" {
		return []string{m.File}
	}
	entries, _ := os.ReadDir(m.Folder) // loading it says what is wrong with it
	var out []string
	for _, e := range entries {
		out = append(out, filepath.Join(m.Folder, e.Name()))
	}
	return out
}

// Value is a model that is in memory already; from says where it comes from.
func Value(from string, m modelfile.Model) Model {
	load := func() (modelfile.Model, error) { return m, nil }
	return Model{Label: m.Name(), From: from, Encoding: m.Config.Name(), load: load}
}

func (o Options) file(path string) Model {
	return Model{Label: strings.TrimSuffix(filepath.Base(path), ".onnx"), From: "file " + path, File: path, options: o}
}

// Run returns the model of a run directory, or of a folder of weights.
func (o Options) Run(dir string) (Model, error) {
	r, err := ReadRun(dir)
	return o.run(r), err
}

// run is the model of a run; a folder of weights has no checkpoints.
func (o Options) run(r Run) Model {
	m := Model{Label: filepath.Base(r.Dir), Encoding: r.Encoding, Folder: r.Dir, options: o}
	if r.Imported {
		m.From = fmt.Sprintf("folder %s (%s)", r.Dir, r.State())
		m.load = func() (modelfile.Model, error) { return hf.Read(r.Dir) }
		return m
	}
	m.From, m.Run = fmt.Sprintf("run %s (%s)", r.Dir, r.State()), r.Dir
	m.checkpoint = func() (*runfile.Checkpoint, []error, error) {
		c, skipped, err := runfile.Latest(r.Dir)
		if errors.Is(err, runfile.ErrNoCheckpoint) { // it names those skipped
			return nil, nil, &runfile.RunError{Dir: r.Dir, Err: err}
		}
		return c, skipped, err
	}
	return m
}

// Checkpoint reads the run's checkpoint that Load makes a model of, the newest usable
// one unless the model is At another.
func (m Model) Checkpoint() (*runfile.Checkpoint, error) {
	if m.checkpoint == nil {
		return nil, m.noRun()
	}
	c, skipped, err := m.checkpoint()
	for _, damaged := range skipped {
		m.options.warn(fmt.Errorf("passed over a damaged checkpoint: %w", damaged))
	}
	return c, err
}

func fromCatalogue(c zoo.Catalogue, m zoo.Manifest) Model {
	return Model{
		Label: m.Name, From: "the catalogue's " + m.Name, Encoding: m.Card.Name(),
		load: func() (modelfile.Model, error) { return c.Model(m) },
	}
}
