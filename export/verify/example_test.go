package verify_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/verify"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// Provider cpu compares ONNX Runtime instead, where it is installed.
func ExampleParity() {
	m, err := models.New(models.Config{Encoding: "rope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: 9})
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1)}.ONNX(card.Portable)
	if err != nil {
		fmt.Println(err)
		return
	}
	worst, err := verify.Parity(context.Background(), file, "go")
	fmt.Println(worst < verify.Tolerance, err)
	// Output: true <nil>
}
