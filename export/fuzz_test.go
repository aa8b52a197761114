package export_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/export"
)

// FuzzRead feeds damaged files. Read must return; what it accepts must be a
// graph that can be written and read again as itself.
func FuzzRead(f *testing.F) {
	for _, g := range graphs(f) {
		f.Add(write(f, g.graph, g.weights, export.Options{Metadata: map[string]string{"k": "v"}}))
		f.Add(write(f, g.graph, nil, export.Options{ParamsAsInputs: true}))
	}
	f.Add(marshal(f, valid()))
	for _, r := range foreignRows() {
		f.Add(marshal(f, r.file()))
	}
	f.Fuzz(readAndRewrite)
}

// TestReadMutations is a fixed sample of what FuzzRead tries.
func TestReadMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, g := range graphs(t) {
		good := write(t, g.graph, g.weights, export.Options{})
		for range 200 {
			data := slices.Clone(good)
			for range 1 + rng.IntN(3) {
				data[rng.IntN(len(data))] = byte(rng.Uint32())
			}
			if rng.IntN(4) == 0 {
				data = data[:rng.IntN(len(data))]
			}
			readAndRewrite(t, data)
		}
	}
}

func readAndRewrite(t *testing.T, data []byte) {
	m, err := readBytes(data)
	if err != nil {
		if len(err.Error()) > 1<<20 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
		return
	}
	opt := export.Options{ParamsAsInputs: len(m.Weights) == 0 && len(m.Graph.Params) > 0}
	var buf bytes.Buffer
	if err := export.Write(&buf, m.Graph, m.Weights, opt); err != nil {
		// Only what Read leaves to others to judge.
		for _, ok := range []string{"want finite numbers", "has no weight", "is already that of"} {
			if strings.Contains(err.Error(), ok) {
				return
			}
		}
		t.Fatal(err)
	}
	again, err := readBytes(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.Graph.String(), again.Graph.String()); diff != "" {
		t.Errorf("graph (-read +again):\n%s", diff)
	}
	if diff := cmp.Diff(m.Weights, again.Weights, sameTensor); diff != "" {
		t.Errorf("weights (-read +again):\n%s", diff)
	}
}
