package verify_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/verify"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// A model becomes a file that was checked, and whose card says how. Provider cpu checks
// ONNX Runtime, where it is installed, against the pure-Go engine.
func ExampleONNX() {
	m, err := models.New(models.Config{Encoding: "rope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: 9})
	if err != nil {
		fmt.Println(err)
		return
	}
	model := modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1)}
	file, worst, err := verify.ONNX(context.Background(), model, card.Portable, "go")
	if err != nil {
		fmt.Println(err)
		return
	}
	info, err := export.ReadInfo(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	described, err := card.Parse(info.Metadata)
	fmt.Println(model.FileName(card.Portable), worst < verify.Tolerance, described.Checks, err)
	// Output: rope.onnx true [structure go] <nil>
}
