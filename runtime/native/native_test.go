package native_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
)

// write makes a model that gives the logits of a table for each token.
func write(t *testing.T, opt export.Options) []byte {
	t.Helper()
	b := graph.NewBuilder()
	ids := b.Input("input_ids", tensor.Int64, graph.Sym("batch"), graph.Sym("seq"))
	g, err := b.Build(graph.Output{Name: "logits", Node: b.Gather(b.Param("table", tensor.Float32, 2, 2), ids, 0)})
	if err != nil {
		t.Fatal(err)
	}
	weights := map[string]*tensor.Tensor{"table": tensor.Of([]float32{1, 2, 3, 4}, 2, 2)}
	if opt.ParamsAsInputs {
		weights = nil
	}
	if opt.Metadata, err = (card.Card{Architecture: "table", Positions: "contiguous",
		Profile: card.Portable}).Metadata(); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := export.Write(&file, g, weights, opt); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestOnlyEngine: with no other engine linked, options without a provider take this
// one, and one that is not linked is named with what to import.
func TestOnlyEngine(t *testing.T) {
	for _, exact := range []bool{false, true} {
		s, err := runtime.OpenBytes(write(t, export.Options{}), runtime.Options{Exact: exact})
		if err != nil {
			t.Fatal(err)
		}
		if i := s.Info(); i.Provider != "go" || i.Engine != "go" {
			t.Errorf("it is run by %s, provider %s", i.Engine, i.Provider)
		}
		out, err := s.Logits(t.Context(), [][]int64{{1, 0}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]float32{3, 4, 1, 2}, tensor.Data[float32](out[0])); diff != "" {
			t.Error(diff)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Logits(ctx, [][]int64{{1}}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
	_, err := runtime.OpenBytes(write(t, export.Options{}), runtime.Options{Provider: "cuda"})
	if want := `add it: import _ "github.com/nopezoo/zoo/runtime/ort"`; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want it to contain %q", err, want)
	}
}

func TestTrainingStep(t *testing.T) {
	step := write(t, export.Options{ParamsAsInputs: true})
	if _, err := runtime.OpenBytes(step, runtime.Options{}); err == nil ||
		!strings.Contains(err.Error(), "input table float32[2,2]") {
		t.Errorf("error is %v", err)
	}
}
