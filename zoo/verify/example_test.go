package verify_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/zoo/verify"
)

// A model becomes a file that was checked, and whose card says how. Without a provider
// ONNX Runtime is checked, which must be installed.
func ExampleBuild() {
	m, err := models.New(models.Config{Encoding: "rope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: 9})
	if err != nil {
		fmt.Println(err)
		return
	}
	model := modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1)}
	files, err := verify.Build(context.Background(), model, verify.Options{Provider: "go"})
	if err != nil {
		fmt.Println(err)
		return
	}
	name := model.FileName(card.Portable)
	fmt.Println(name, len(files[0].Data) > 0, files[0].Checks, files[0].Worst < verify.Tolerance)
	// Output: rope.onnx true [structure go] true
}
