package foreigntest

import (
	"embed"
	"io/fs"
	"slices"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

//go:embed testdata/sliding-window-cache
var windowed embed.FS

// Windowed is the folder of a Gemma 2 of random weights by onnxruntime-genai 0.18: one layer sees a window of 8
// tokens, and its cache has room for these alone; the other sees all. Its expected.json is what transformers
// computes: logits of five prompts, and greedy answers.
func Windowed() fs.FS {
	folder, err := fs.Sub(windowed, "testdata/sliding-window-cache")
	if err != nil {
		panic(err) // the name is not a valid one
	}
	return folder
}

// Unwindowed returns a model file whose layers see everything: what onnxruntime-genai's builder makes of a Mistral.
func Unwindowed(model []byte) ([]byte, error) {
	m := &onnxpb.ModelProto{}
	if err := onnxpb.Unmarshal(model, m, true); err != nil {
		return nil, err
	}
	for _, n := range m.Graph.Node {
		n.Attribute = slices.DeleteFunc(n.Attribute, func(a *onnxpb.AttributeProto) bool {
			return a.Name == "local_window_size" || a.Name == "sliding_window_cache"
		})
	}
	return onnxpb.Marshal(m)
}
