package zoo

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"

	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
)

// Model is a model that was found, not yet read.
type Model struct {
	Label    string // its name in tables
	From     string // where it was found, for people
	Encoding string // or the architecture that has none; "" for a file, whose card says it
	File     string // path of an ONNX file, "" for the others
	Run      string // run directory, "" for the others
	Folder   string // that the model is read from, a run or one of weights; "" for the others

	intervention models.Intervention
	means        headMeans // of the intervention
	dtype        string    // of its files; "" as the card says

	options Options
	read    reader                          // of a run
	load    func() (modelfile.Model, error) // of a model that is neither a file nor a run
}

// Open opens the model in the engine that the program links. A file has its own profile.
func (m Model) Open(profile string, o runtime.Options) (*runtime.Session, error) {
	if m.File != "" {
		o.LinksWithin = m.options.Runtime.LinksWithin
		return runtime.Open(m.File, o)
	}
	file, words, err := m.made(profile)
	if err != nil {
		return nil, err
	}
	o.Beside = foreign.With(nil, words)
	return runtime.OpenFile(file, o)
}

// made is the model's file in memory, and what belongs beside it.
func (m Model) made(profile string) (*safety.File, map[string][]byte, error) {
	loaded, err := m.Load()
	if err != nil {
		return nil, nil, err
	}
	file, err := loaded.File(profile)
	return file, beside(loaded), err
}

// beside is the tokenizer of a pretrained model by the name of its file.
func beside(m modelfile.Model) map[string][]byte {
	if len(m.TokenizerFile) == 0 {
		return map[string][]byte{}
	}
	return map[string][]byte{tokenizer.File: m.TokenizerFile}
}

// ONNX returns the model's file, and what belongs beside it (runtime.Options); nil for nothing. A file has its own profile.
func (m Model) ONNX(profile string) (data []byte, folder fs.FS, err error) {
	if m.File != "" {
		data, external, err := safety.ReadFile(m.File, m.options.Runtime.LinksWithin)
		return data, foreign.With(foreign.Folder(m.File), external), err
	}
	loaded, err := m.Load()
	if err != nil {
		return nil, nil, err
	}
	files := beside(loaded)
	data, weights, err := loaded.ONNXFiles(profile, loaded.FileName(profile))
	maps.Copy(files, weights)
	return data, foreign.With(nil, files), err
}

// Load reads configuration, weights and card. A file has none of its own: it is what
// ONNX returns.
func (m Model) Load() (modelfile.Model, error) {
	loaded, err := m.asTrained()
	if err != nil {
		return loaded, err
	}
	loaded.Card.DType = cmp.Or(m.dtype, loaded.Card.DType)
	if m.intervention.String() == "" {
		return loaded, nil
	}
	return intervene(context.Background(), loaded, m.intervention, m.means)
}

// asTrained is Load without the intervention.
func (m Model) asTrained() (modelfile.Model, error) {
	switch {
	case m.File != "":
		return modelfile.Model{}, fmt.Errorf("%s is an ONNX file already, not what one is built from", m.From)
	case m.Run == "":
		return m.load()
	}
	c, err := m.Checkpoint()
	if err != nil {
		return modelfile.Model{}, err
	}
	out := modelfile.Model{Config: c.Config.Model, Weights: c.Weights}
	if c.Config.From != nil {
		out.TokenizerFile = c.Config.From.Tokenizer
	}
	out.Card, err = c.Card(m.options.ToolVersion)
	return out, err
}
