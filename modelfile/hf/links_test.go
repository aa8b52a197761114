package hf_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nopezoo/zoo/modelfile/hf"
)

// Hugging Face's cache has a folder of links for each revision. They may lead to the blobs beside it, and nowhere else.
func TestLinks(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "models--zoo--llama")
	dir, blobs := filepath.Join(cache, "snapshots", "0a1b"), filepath.Join(cache, "blobs")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.CopyFS(blobs, os.DirFS("testdata/pretrained/llama"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"config.json", "model.safetensors"} {
		if err := os.Symlink(filepath.Join("..", "..", "blobs", name), filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	want, err := hf.Read("testdata/pretrained/llama")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "linked") // a link to the whole folder is the user's own
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, link} {
		if got, err := hf.Read(path); err != nil || got.Card.Pretrained.SHA256 != want.Card.Pretrained.SHA256 {
			t.Errorf("%s: %v", path, err)
		}
	}
	outside, tokens := filepath.Join(t.TempDir(), "secret.json"), filepath.Join(dir, "tokenizer.json")
	if err := errors.Join(os.WriteFile(outside, []byte("{}"), 0o600), os.Symlink(outside, tokens)); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func() error{
		func() error { _, err := hf.Read(dir); return err },
		func() error { _, err := hf.Describe(dir); return err },
	} {
		wantError(t, read(), "tokenizer.json is a link to "+outside+", outside of "+cache)
	}
	if err := os.Remove(outside); err != nil {
		t.Fatal(err)
	}
	_, err = hf.Read(dir)
	wantError(t, err, "tokenizer.json is a link that leads nowhere")
	if err := errors.Join(os.Remove(tokens), os.Rename(blobs, filepath.Join(cache, "others"))); err != nil {
		t.Fatal(err)
	}
	_, err = hf.Read(dir)
	wantError(t, err, "is a link that leads nowhere")
}

// Weights that only Python can read are refused, with the way to safetensors.
func TestPickled(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"config.json", "pytorch_model.bin"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !hf.IsFolder(dir) {
		t.Error("it is no folder of weights")
	}
	_, err := hf.Read(dir)
	wantError(t, err, dir+" has its weights in pytorch_model.bin alone")
	wantError(t, err, "save_pretrained(")
	if err := os.WriteFile(filepath.Join(dir, "model.onnx"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if hf.IsFolder(dir) {
		t.Error("a folder with an ONNX file is one of weights")
	}
}
