package safety

import (
	"os"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// A card declares a Scan by exactly one state: with none or two of them no node is declared.
func TestDeclaredStates(t *testing.T) {
	data, err := os.ReadFile("testdata/sequence.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]bool{0: false, 1: true, 2: false} {
		m := &onnxpb.ModelProto{}
		if err := onnxpb.Unmarshal(data, m, true); err != nil {
			t.Fatal(err)
		}
		c, err := card.Parse(onnxpb.Metadata(m))
		if err != nil || len(c.State) != 1 {
			t.Fatalf("%+v, %v; want a card of one state", c.State, err)
		}
		second := c.State[0]
		second.Past, second.Present = "past.second", "present.second"
		c.State = append(c.State, second)[:n]
		metadata, err := c.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		m.MetadataProps = nil
		for key, value := range metadata {
			m.MetadataProps = append(m.MetadataProps, &onnxpb.StringStringEntryProto{Key: key, Value: value})
		}
		if got := declared(m) != nil; got != want {
			t.Errorf("a card of %d states declares a node: %v, want %v", n, got, want)
		}
	}
}
