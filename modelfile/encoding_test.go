package modelfile_test

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// mine is an encoding that no table has.
type mine struct{ pe.NoPE }

// The configuration of a decoder with an encoding from outside the table does not
// name what the model is, so nothing builds it: not the model without the encoding
// either.
func TestEncodingByValue(t *testing.T) {
	plain, weights := model(t, "nope", "modern")
	cfg := models.WithEncoding(plain.Config(), mine{}).Config()
	_, built := modelfile.Model{Config: cfg, Weights: weights, Card: description()}.ONNX(card.Portable)
	resized := cfg
	resized.VocabSize = 0 // the task's
	_, training := train.New(t.TempDir(), runfile.Config{Model: resized,
		Train: runfile.Recipe{Task: "copy", Lengths: "1..6", Steps: 1, Batch: 8,
			LR: 1e-2, Beta1: 0.9, Beta2: 0.98, Eps: 1e-8, Clip: 1, CheckpointEvery: 4, KeepCheckpoints: 2}},
		train.Options{})
	for what, err := range map[string]error{
		"ONNX": built, "train.New": training,
		"hf.Write": hf.Write(t.TempDir(), hf.Model{Config: cfg, Weights: weights, Card: description()}),
	} {
		if err == nil || !strings.Contains(err.Error(), "encoding modelfile_test.mine was "+
			"handed to WithEncoding as a value") {
			t.Errorf("%s: error %v", what, err)
		}
	}
}
