package hf_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/models"
)

func Example() {
	m, err := models.New(models.Config{Encoding: "rope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: 9})
	if err != nil {
		fmt.Println(err)
		return
	}
	temp, err := os.MkdirTemp("", "hf")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(temp)
	dir := filepath.Join(temp, "model")
	err = hf.Write(dir, modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1)})
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := hf.Read(dir)
	fmt.Println(back.Config.Encoding, back.Weights["layers.0.attn.q_proj.weight"], err)
	// Output: rope float32[16,16] <nil>
}
