package find

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo"
)

// A run without a checkpoint is no model; one with the first step is, and weights without steps are.
func TestNew(t *testing.T) {
	folder := t.TempDir()
	l, err := configs.Load(configs.Sources{Preset: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Config("")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"none", "first"} {
		if _, err := train.Prepare(filepath.Join(folder, name), c, 1, 0, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "imported"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"first/checkpoint-00000001.safetensors": "",
		"imported/model.safetensors":            "",
		"imported/config.json": `{"model_type": "zoo_decoder", "position_embedding_type": "nope", "hidden_size": 16, "num_hidden_layers": 1,
			"num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 9, "torch_dtype": "float32"}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := New(zoo.Options{Runs: folder, Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range f.runs {
		names = append(names, filepath.Base(r.Dir))
		if imported := names[len(names)-1] == "imported"; imported != r.Imported || imported != (r.Step == 0) {
			t.Errorf("%+v", r)
		}
	}
	if slices.Sort(names); !slices.Equal(names, []string{"first", "imported"}) {
		t.Errorf("models %v", names)
	}
}
