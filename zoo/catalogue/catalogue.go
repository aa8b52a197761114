// Package catalogue holds trained models, embedded in the program: their configurations,
// manifests and 16-bit weights, packed. ONNX files are built from them on demand, in
// either profile. A program that does not call Embedded links none of them.
package catalogue

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/modelfile"
)

// ErrUnknown means that the catalogue has no model of the name asked for.
var ErrUnknown = errors.New("not in the catalogue")

//go:embed models
var embedded embed.FS

// Headline is the task that stands for the catalogue where no task is named.
const Headline = "unique-copy"

// Manifest says what a catalogue model is and how it was made.
type Manifest struct {
	Name    string `json:"name"`    // "copy-nope"
	Command string `json:"command"` // that trained it
	// CPU names the processor features that decide which kernels ONNX Runtime
	// used: equal bits can be expected only among equal features.
	CPU []string `json:"cpu"`
	// WeightsSHA256 is the hash of the safetensors file of the 16-bit weights, in hex.
	WeightsSHA256 string  `json:"weights_sha256"`
	Scores        []Score `json:"scores"`
	// Card describes the model; its profile, state and parity are those of the
	// file that is built.
	Card card.Card `json:"-"`

	Metadata map[string]string `json:"card"` // the card as stored
}

// Score is the exact-match accuracy at one task length.
type Score struct {
	Length  int `json:"length"`
	N       int `json:"n"`
	Correct int `json:"correct"`
}

// ErrNotMeasured means that a manifest has no score at a trained length.
var ErrNotMeasured = errors.New("there is no score at a trained length")

// TrainedAccuracy returns the mean exact match at the lengths that the model was trained
// on, in 0..1, and ErrNotMeasured where there is none.
func (m Manifest) TrainedAccuracy() (float64, error) {
	sum, count := 0.0, 0
	for _, s := range m.Scores {
		if s.N > 0 && s.Length >= m.Card.Trained.Min && s.Length <= m.Card.Trained.Max {
			sum += float64(s.Correct) / float64(s.N)
			count++
		}
	}
	if count == 0 {
		return 0, fmt.Errorf("%w (%d to %d), so nothing to compare",
			ErrNotMeasured, m.Card.Trained.Min, m.Card.Trained.Max)
	}
	return sum / float64(count), nil
}

// Catalogue is a folder of models: for each a manifest NAME.json and NAME.weights.gz, a
// safetensors file of 16-bit weights as pack writes it.
type Catalogue struct{ fs.FS }

const weightsExtension = ".weights.gz"

// Embedded returns the catalogue that is part of the program.
func Embedded() Catalogue {
	sub, err := fs.Sub(embedded, "models")
	if err != nil {
		panic("zoo: " + err.Error()) // the folder is fixed at build time
	}
	return Catalogue{sub}
}

// List returns the manifests in order of their names.
func (c Catalogue) List() ([]Manifest, error) {
	paths, err := fs.Glob(c, "*.json")
	if err != nil {
		return nil, err
	}
	var out []Manifest
	for _, p := range paths {
		m, err := c.Manifest(strings.TrimSuffix(p, ".json"))
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// Manifest reads one manifest. The error wraps ErrUnknown and lists the known
// names when there is none.
func (c Catalogue) Manifest(name string) (Manifest, error) {
	var m Manifest
	data, err := fs.ReadFile(c, name+".json")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return m, fmt.Errorf("model %q: %w; known: %s", name, ErrUnknown, strings.Join(c.names(), ", "))
	}
	if err != nil {
		return m, fmt.Errorf("zoo: %w", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("zoo: manifest of %s: %w", name, err)
	}
	if m.Card, err = card.Parse(m.Metadata); err != nil {
		return m, fmt.Errorf("zoo: manifest of %s: %w", name, err)
	}
	return m, nil
}

func (c Catalogue) names() []string {
	paths, _ := fs.Glob(c, "*.json") // the pattern is well-formed
	return lists.Map(paths, func(p string) string { return strings.TrimSuffix(p, ".json") })
}

// ONNX builds the file of a model in a profile.
func (c Catalogue) ONNX(name, profile string) ([]byte, error) {
	m, err := c.Model(name)
	if err != nil {
		return nil, err
	}
	return m.ONNX(profile)
}

// Model reads a model, its weights as float32, after checking their hash.
func (c Catalogue) Model(name string) (modelfile.Model, error) {
	m, err := c.Manifest(name)
	if err != nil {
		return modelfile.Model{}, err
	}
	out := modelfile.Model{Card: m.Card}
	if err := json.Unmarshal(m.Card.Config, &out.Config); err != nil {
		return out, fmt.Errorf("zoo: manifest of %s: %w", m.Name, err)
	}
	out.Weights, err = c.weights(m)
	return out, err
}

func (c Catalogue) weights(m Manifest) (map[string]*tensor.Tensor, error) {
	packed, err := fs.ReadFile(c, m.Name+weightsExtension)
	if err != nil {
		return nil, fmt.Errorf("zoo: %w", err)
	}
	data, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("zoo: weights of %s: %w", m.Name, err)
	}
	if fmt.Sprintf("%x", sha256.Sum256(data)) != m.WeightsSHA256 {
		return nil, fmt.Errorf("zoo: the weights of %s do not have the hash of its manifest", m.Name)
	}
	stored, _, err := tensor.ReadSafetensors(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("zoo: weights of %s: %w", m.Name, err)
	}
	out := make(map[string]*tensor.Tensor, len(stored))
	for name, t := range stored {
		if t.DType() != tensor.Float16 {
			return nil, fmt.Errorf("zoo: weights of %s: %s is %v, want float16", m.Name, name, t)
		}
		out[name] = t.As(tensor.Float32)
	}
	return out, nil
}

// Rounded returns weights as a model of a catalogue computes with them, rounded to 16 bits,
// and the hash that its manifest has of them.
func Rounded(weights map[string]*tensor.Tensor) (rounded map[string]*tensor.Tensor, hash string, err error) {
	data, err := safetensors16(weights)
	if err != nil {
		return nil, "", err
	}
	rounded = make(map[string]*tensor.Tensor, len(weights))
	for name, w := range weights {
		rounded[name] = w.As(tensor.Float16).As(tensor.Float32)
	}
	return rounded, fmt.Sprintf("%x", sha256.Sum256(data)), nil
}

// Add writes a model into a catalogue folder: weights first, then the manifest
// that names them, each atomically. It fills in the manifest's hash and card.
func Add(dir string, m Manifest, model modelfile.Model) error {
	d, err := model.Describe(card.Portable)
	if err != nil {
		return err
	}
	m.Card = d.Card
	m.Card.State = nil // of a file
	if m.Metadata, err = m.Card.Metadata(); err != nil {
		return fmt.Errorf("zoo: %w", err)
	}
	data, err := safetensors16(model.Weights)
	if err != nil {
		return err
	}
	m.WeightsSHA256 = fmt.Sprintf("%x", sha256.Sum256(data))
	packed, err := pack(data)
	if err != nil {
		return fmt.Errorf("zoo: %w", err)
	}
	slices.Sort(m.CPU)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return errors.Join(
		files.WriteBytesAtomic(filepath.Join(dir, m.Name+weightsExtension), packed),
		files.WriteJSONAtomic(filepath.Join(dir, m.Name+".json"), m),
	)
}

// safetensors16 returns the file of weights rounded to 16 bits.
func safetensors16(weights map[string]*tensor.Tensor) ([]byte, error) {
	half := make(map[string]*tensor.Tensor, len(weights))
	for name, w := range weights {
		half[name] = w.As(tensor.Float16)
	}
	var buf bytes.Buffer
	if err := tensor.WriteSafetensors(&buf, half, nil); err != nil {
		return nil, fmt.Errorf("zoo: %w", err)
	}
	return buf.Bytes(), nil
}
