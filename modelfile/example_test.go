package modelfile_test

import (
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

func Example() {
	m, err := models.New(models.Config{Encoding: "rope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: 9})
	if err != nil {
		fmt.Println(err)
		return
	}
	made := modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1), Card: card.Card{Task: "copy"}}
	file, err := made.ONNX(card.Fused)
	if err != nil {
		fmt.Println(err)
		return
	}
	info, err := export.Inspect(file, nil)
	fmt.Println(made.Name(), "opset", info.Opset, "RMSNormalization:", info.Ops["RMSNormalization"], err)
	// Output: copy-rope opset 23 RMSNormalization: 3 <nil>
}
