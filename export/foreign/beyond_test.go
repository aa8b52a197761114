package foreign

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// Of what Optimum exports, families with learned positions and with tables that are as long as the declared length have a table of
// positions; where angles and slopes are computed there is none.
func TestPositionTable(t *testing.T) {
	tables := map[string]string{"gpt2": "transformer.wpe.weight [24 32]", "opt": "model.decoder.embed_positions.weight [26 32]",
		"gptj": "onnx::Expand_293 [40 4]", "mpt": "onnx::Slice_215 [6 1 40]"}
	files, err := filepath.Glob("testdata/optimum/*.onnx.gz")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		file, err := safety.Check(data, safety.Options{})
		if err != nil {
			t.Fatal(err)
		}
		family := strings.TrimSuffix(filepath.Base(path), ".onnx.gz")
		name, shape := positionTable(file.Proto.Graph)
		if got := fmt.Sprint(name, " ", shape); got != cmp.Or(tables[family], " []") {
			t.Errorf("%s: table %q, want %q", family, got, tables[family])
		}
		beside := fstest.MapFS{"config.json": {Data: []byte(`{"max_position_embeddings": 12}`)}}
		d, err := Describe(file, beside, true)
		if ends := tables[family] != ""; ends != (err != nil) || ends != strings.Contains(fmt.Sprint(err), "beyond: the file's table of positions") {
			t.Errorf("%s: error %v", family, err)
		} else if !ends && (d.Card.MaxLength != 0 || d.Card.Pretrained.DeclaredLength != 12) {
			t.Errorf("%s: %+v", family, d.Card)
		}
		if d, err := Describe(file, beside, false); err != nil || d.Card.MaxLength != 12 {
			t.Errorf("%s: within what is declared: %d, %v", family, d.Card.MaxLength, err)
		}
	}
}

// Nodes that lack inputs and outputs, as files that nobody has validated may have, are no table.
func TestPositionTableHostile(t *testing.T) {
	var nodes []*onnxpb.NodeProto
	for _, operator := range []string{"Constant", "Tile", "Gather", "Slice", "Shape", "Where", "RotaryEmbedding"} {
		value := &onnxpb.AttributeProto{Name: "value", T: &onnxpb.TensorProto{Dims: []int64{4, 4}}}
		nodes = append(nodes, &onnxpb.NodeProto{OpType: operator, Domain: attentionDomain, Attribute: []*onnxpb.AttributeProto{value}},
			&onnxpb.NodeProto{OpType: operator, Input: []string{"w"}, Attribute: []*onnxpb.AttributeProto{{Name: "value"}, value}})
	}
	g := &onnxpb.GraphProto{Node: nodes, Initializer: []*onnxpb.TensorProto{{Name: "w", Dims: []int64{4, 4}}}}
	if name, shape := positionTable(g); name != "" {
		t.Errorf("table %q of %v", name, shape)
	}
}
