package catalogue_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// Every embedded model has learned its task and builds in both profiles, and the files
// describe themselves.
func TestEmbedded(t *testing.T) {
	list, err := catalogue.Embedded().List()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("the catalogue is empty")
	}
	for _, m := range list {
		for _, profile := range []string{card.Portable, card.Fused} {
			data, err := catalogue.Embedded().ONNX(m.Name, profile)
			if err != nil {
				t.Fatal(err)
			}
			info, err := export.Inspect(data, nil)
			if err != nil {
				t.Fatal(err)
			}
			c, err := card.Parse(info.Metadata)
			if err != nil {
				t.Fatal(err)
			}
			if c.Profile != profile || m.Name != c.Task+"-"+c.Name() || c.Encoding != m.Card.Encoding ||
				len(c.State) == 0 {
				t.Errorf("%s, %s: the card says %+v", m.Name, profile, c)
			}
		}
		if m.Command == "" || len(m.CPU) == 0 || len(m.Scores) == 0 {
			t.Errorf("%s: the manifest lacks command, processor or scores", m.Name)
		}
		if accuracy, err := m.TrainedAccuracy(); err != nil || accuracy < 0.99 {
			t.Errorf("%s has %.3f at trained lengths, %v", m.Name, accuracy, err)
		}
	}
}

// A model takes at most 0.65 MiB, and the whole catalogue 24 MiB.
func TestEmbeddedSize(t *testing.T) {
	files, err := filepath.Glob("models/*.weights.gz")
	if err != nil {
		t.Fatal(err)
	}
	if list, err := catalogue.Embedded().List(); err != nil || len(list) != len(files) {
		t.Fatalf("%d manifests and %d files of weights, %v", len(list), len(files), err)
	}
	sum := int64(0)
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
		if mib := float64(info.Size()) / (1 << 20); mib > 0.65 {
			t.Errorf("%s has %.3f MiB", f, mib)
		}
	}
	if sum > 24<<20 {
		t.Errorf("the catalogue holds %d bytes", sum)
	}
}

func added(t *testing.T) (dir string, weights map[string]*tensor.Tensor) {
	t.Helper()
	dir = t.TempDir()
	m, err := models.New(models.Config{Encoding: "alibi", DModel: 32, NLayers: 2, NHeads: 4, DFF: 48, VocabSize: 30})
	if err != nil {
		t.Fatal(err)
	}
	weights = models.InitWeights(m.Params(), 3)
	manifest := catalogue.Manifest{Name: "test-alibi", Command: "zoo train", CPU: []string{"avx2", "avx"}}
	if err := catalogue.Add(dir, manifest, modelfile.Model{Config: m.Config(), Weights: weights}); err != nil {
		t.Fatal(err)
	}
	return dir, weights
}

func TestAdd(t *testing.T) {
	dir, weights := added(t)
	c := catalogue.Catalogue{FS: os.DirFS(dir)}
	m, err := c.Manifest("test-alibi")
	if err != nil {
		t.Fatal(err)
	}
	if m.Card.Encoding != "alibi" || strings.Join(m.CPU, " ") != "avx avx2" {
		t.Errorf("manifest %+v", m)
	}
	stored, err := c.Model(m.Name)
	if err != nil {
		t.Fatal(err)
	}
	halved, hash, err := catalogue.Rounded(weights)
	if err != nil || hash != m.WeightsSHA256 {
		t.Errorf("hash %s, want %s of the manifest (%v)", hash, m.WeightsSHA256, err)
	}
	for name, w := range halved {
		if !tensor.Equal(w, stored.Weights[name]) {
			t.Errorf("%s differs from the weights rounded to 16 bits", name)
		}
	}
	data, err := c.ONNX("test-alibi", card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := safety.Check(data, safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, back, err := export.Read(checked)
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range halved {
		if !tensor.Equal(w, back[name]) {
			t.Errorf("%s differs in the ONNX file", name)
		}
	}
}

// otherWeights returns the stored weights of a model of the embedded catalogue.
func otherWeights(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("models/copy-rope.weights.gz")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCatalogueErrors(t *testing.T) {
	dir, _ := added(t)
	c := catalogue.Catalogue{FS: os.DirFS(dir)}
	if _, err := c.ONNX("test-rope", card.Portable); !errors.Is(err, catalogue.ErrUnknown) ||
		!strings.Contains(err.Error(), "test-alibi") {
		t.Errorf("unknown name: %v", err)
	}
	if _, err := c.Manifest("../test-alibi"); !errors.Is(err, catalogue.ErrUnknown) {
		t.Errorf("name outside the folder: %v", err)
	}
	if _, err := c.ONNX("test-alibi", "quick"); err == nil || !strings.Contains(err.Error(), `"quick"`) {
		t.Errorf("unknown profile: %v", err)
	}
	weights := filepath.Join(dir, "test-alibi.weights.gz")
	for want, data := range map[string][]byte{"gzip": []byte("no weights"), "hash": otherWeights(t)} {
		if err := os.WriteFile(weights, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := c.ONNX("test-alibi", card.Portable); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "test-alibi") {
			t.Errorf("damaged weights: %v, want %s", err, want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "test-alibi.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := c.List(); err == nil || !strings.Contains(err.Error(), "test-alibi") {
		t.Errorf("damaged manifest: %v", err)
	}
}
