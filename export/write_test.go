package export_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
)

func TestWriteRefuses(t *testing.T) {
	type weights = map[string]*tensor.Tensor
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, tc := range []struct {
		name, want string
		weights    weights
		opt        export.Options
	}{
		{"missing", "parameter w (float32[2]) has no weight", nil, export.Options{}},
		{"extra", "weight v belongs to no parameter",
			weights{"w": tensor.Of([]float32{1, 2}, 2), "v": tensor.Of([]float32{1}, 1)}, export.Options{}},
		{"shape", "parameter w is float32[2], but its weight is float32[3]",
			weights{"w": tensor.New(tensor.Float32, 3)}, export.Options{}},
		{"rank", "but its weight is float32[2,1]", weights{"w": tensor.New(tensor.Float32, 2, 1)}, export.Options{}},
		{"dtype", "but its weight is float16[2]", weights{"w": tensor.New(tensor.Float16, 2)}, export.Options{}},
		{"nan", "weight w: element 1 is NaN", weights{"w": tensor.Of([]float32{1, nan}, 2)}, export.Options{}},
		{"infinity", "weight w: element 0 is -Inf", weights{"w": tensor.Of([]float32{inf, 1}, 2)}, export.Options{}},
		{"weights of inputs", "1 weights given, but the parameters are inputs",
			weights{"w": tensor.New(tensor.Float32, 2)}, export.Options{ParamsAsInputs: true}},
		{"bad text", "invalid UTF-8", weights{"w": tensor.New(tensor.Float32, 2)}, export.Options{Doc: "\xff"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := build(t, "", func(b *graph.Builder) []graph.Output {
				sum := b.Add(b.Input("x", tensor.Float32, seq, graph.N(2)), b.Param("w", tensor.Float32, 2))
				return []graph.Output{{Name: "y", Node: sum}}
			})
			var buf bytes.Buffer
			err := export.Write(&buf, g.graph, tc.weights, tc.opt)
			if err == nil || !strings.Contains(err.Error(), tc.want) ||
				!strings.HasPrefix(err.Error(), "export: write: ") {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if buf.Len() > 0 {
				t.Errorf("%d bytes were written", buf.Len())
			}
		})
	}
}

func TestWriteNameClash(t *testing.T) {
	for _, tc := range []struct{ name, param, output, want string }{
		{"constant", "const.7", "y", "parameter const.7: names such as const.0 are kept for constants"},
		{"output and constant", "w", "const.0", `the name "const.0" is already that of an initializer const.0`},
		{"node path", "w", "/Add", `the name "/Add" is already that of an output of node /Add`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := build(t, "", func(b *graph.Builder) []graph.Output {
				sum := b.Add(b.Param(tc.param, tensor.Float32, 2), b.Float(1))
				return []graph.Output{{Name: tc.output, Node: b.Neg(sum)}}
			})
			err := export.Write(&bytes.Buffer{}, g.graph, g.weights, export.Options{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

type brokenWriter struct{}

var errBroken = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteError(t *testing.T) {
	g := build(t, "", elementwise)
	if err := export.Write(brokenWriter{}, g.graph, g.weights, export.Options{}); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

// TestStableBytes notices when the bytes of a file change, with a new version of
// the protobuf module, say: hashes of published models change with them. make
// golden takes the new hash.
func TestStableBytes(t *testing.T) {
	g := build(t, "", elementwise)
	data := write(t, g.graph, g.weights, export.Options{Metadata: map[string]string{"b": "2", "a": "1"}})
	graphtest.Golden(t, "bytes", fmt.Sprintf("%x\n", sha256.Sum256(data)))
	graphtest.NoOtherGolden(t, "bytes")
}
