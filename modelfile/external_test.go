package modelfile_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/runtime"
)

const fileName = "m.onnx"

// split returns a model's file as one whole and as two, of which the latter are those of a model that exceeds one
// protobuf message: tests that use it run by themselves. dataName is what the second one is called.
func split(t *testing.T) (whole, file []byte, dataName string, data []byte) {
	t.Helper()
	m, weights := model(t, "rope", "modern")
	small := modelfile.Model{Config: m.Config(), Weights: weights, Card: description()}
	whole, err := small.ONNX(card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	most := onnxpb.MaxMessage
	t.Cleanup(func() { onnxpb.MaxMessage = most })
	onnxpb.MaxMessage = 20_000
	if _, err := small.ONNX(card.Portable); err == nil || !strings.Contains(err.Error(), "zoo export") {
		t.Fatalf("without a name for the data file: %v", err)
	}
	file, beside, err := small.ONNXFiles(card.Portable, fileName)
	if err != nil || len(beside) != 1 {
		t.Fatal(beside, err)
	}
	for dataName, data = range beside {
		if want := fmt.Sprintf("%s.%x.data", fileName, sha256.Sum256(data))[:len(dataName)-len(".data")] + ".data"; dataName != want ||
			!safety.IsData(dataName, fileName) || safety.IsData(dataName, "n.onnx") || safety.IsData(dataName+".data", fileName) {
			t.Errorf("the data file is called %s, expected %s", dataName, want)
		}
	}
	return whole, file, dataName, data
}

func TestExternalData(t *testing.T) {
	orttest.Require(t)
	whole, file, dataName, data := split(t)
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	for name, contents := range map[string][]byte{fileName: file, dataName: data} {
		if err := os.WriteFile(filepath.Join(dir, name), contents, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	one, err := safety.Check(whole, safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := safety.Check(file, safety.Options{External: map[string][]byte{dataName: data}})
	if err != nil {
		t.Fatal(err)
	}
	if hash := one.Metadata[card.WeightsKey]; hash == "" || hash != two.Metadata[card.WeightsKey] {
		t.Errorf("hashes of the weights: %q, %q", hash, two.Metadata[card.WeightsKey])
	}
	if len(file)+len(data) < len(whole) || len(data) < len(file) {
		t.Errorf("%d bytes became %d and %d", len(whole), len(file), len(data))
	}
	rows := [][]int64{{3, 4, 5, 6, 7, 8, 9}, {5, 9, 12}}
	for _, provider := range []string{"go", "cpu"} {
		opt := runtime.Options{Provider: provider}
		want := answered(t, whole, opt, rows)
		beside := opt
		beside.Beside = fstest.MapFS{dataName: {Data: data}}
		if got := answered(t, file, beside, rows); !slices.Equal(got, want) {
			t.Errorf("%s, from memory: logits differ", provider)
		}
		s, err := runtime.Open(path, opt)
		if err != nil {
			t.Fatal(err)
		}
		if got := logitsOf(t, s, rows); !slices.Equal(got, want) {
			t.Errorf("%s, by its path: logits differ", provider)
		}
		if _, err := runtime.OpenBytes(file, opt); err == nil || !strings.Contains(err.Error(), "open the model by its path") {
			t.Errorf("%s, without the data: %v", provider, err)
		}
	}
}

func TestExternalDataRefused(t *testing.T) {
	_, file, dataName, data := split(t)
	set := func(m *onnxpb.ModelProto, key, value string, which int) {
		for _, w := range m.Graph.Initializer {
			if len(w.ExternalData) == 0 {
				continue
			}
			if which--; which >= 0 {
				continue
			}
			for _, e := range w.ExternalData {
				if e.Key == key {
					e.Value = value
				}
			}
			return
		}
	}
	for name, tc := range map[string]struct {
		change func(*onnxpb.ModelProto)
		data   []byte
		want   string
	}{
		"no data file":       {nil, nil, ""},
		"a short file":       {nil, data[:len(data)-1], "from byte"},
		"a changed byte":     {nil, append(bytes.Clone(data[:len(data)-1]), data[len(data)-1]^1), safety.ErrDamaged.Error()},
		"a path":             {func(m *onnxpb.ModelProto) { set(m, "location", "../"+dataName, 0) }, data, "plain file name"},
		"an absolute path":   {func(m *onnxpb.ModelProto) { set(m, "location", "/"+dataName, 0) }, data, "plain file name"},
		"the folder":         {func(m *onnxpb.ModelProto) { set(m, "location", "..", 0) }, data, "not within the model's folder"},
		"an overlap":         {func(m *onnxpb.ModelProto) { set(m, "offset", "16", 1) }, data, "overlap"},
		"a huge offset":      {func(m *onnxpb.ModelProto) { set(m, "offset", "9223372036854775807", 1) }, data, "too large"},
		"a far offset":       {func(m *onnxpb.ModelProto) { set(m, "offset", "1000000000000", 1) }, data, "unused"},
		"an offset past end": {func(m *onnxpb.ModelProto) { set(m, "offset", "9000000", 1) }, data, "from byte"},
		"a negative offset":  {func(m *onnxpb.ModelProto) { set(m, "offset", "-4096", 1) }, data, `"offset" is "-4096"`},
		"another length":     {func(m *onnxpb.ModelProto) { set(m, "length", "8", 1) }, data, "type and shape take"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &onnxpb.ModelProto{}
			if err := onnxpb.Unmarshal(file, m, true); err != nil {
				t.Fatal(err)
			}
			changed := file
			if tc.change != nil {
				tc.change(m)
				var err error
				if changed, err = onnxpb.Marshal(m); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(t.TempDir(), fileName)
			if err := os.WriteFile(path, changed, 0o644); err != nil {
				t.Fatal(err)
			}
			if tc.data != nil {
				if err := os.WriteFile(filepath.Join(filepath.Dir(path), dataName), tc.data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, err := runtime.Open(path, runtime.Options{Provider: "go"})
			if tc.data == nil {
				if !errors.Is(err, os.ErrNotExist) {
					t.Errorf("got %v", err)
				}
			} else if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
