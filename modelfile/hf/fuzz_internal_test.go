package hf

import (
	"encoding/json"
	"testing"
)

// FuzzConfig reads hostile configurations: an accepted one is written and
// read back as it was.
func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"model_type":"zoo_decoder","position_embedding_type":"t5","position_embedding_params":{"buckets":8},"hidden_size":16,"num_hidden_layers":1,"num_attention_heads":2,"intermediate_size":8,"vocab_size":9,"hidden_act":"gelu_pytorch_tanh","zoo_provenance":{"task":"copy","train_min":1,"train_max":3,"seed":1,"steps":2}}`))
	f.Add([]byte(`{"architectures":["ZooCwrnnForCausalLM"],"hidden_size":16,"num_units":12,"num_modules":3,"module_periods":[1,2,4],"vocab_size":9,"settings":"faithful"}`))
	f.Add([]byte(`{"model_type":"zoo_decoder","position_embedding_type":"learned","position_embedding_params":{"max_length":9},"max_position_embeddings":9,"hidden_size":4,"num_hidden_layers":1,"num_attention_heads":1,"intermediate_size":1,"vocab_size":1,"settings":"faithful"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d document
		if json.Unmarshal(data, &d) != nil {
			return
		}
		m, made, err := d.model(nil)
		if err != nil {
			return
		}
		again := document{}
		for _, err := range []error{again.putConfig(m.Config), again.putDerived(made, nil),
			again.set(provenanceKey, provenanceOf(m.Card))} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := again.model(nil); err != nil {
			t.Errorf("what was accepted is refused when it is written: %v", err)
		}
	})
}

// FuzzTokenizer reads hostile tokenizers; what is accepted has pieces.
func FuzzTokenizer(f *testing.F) {
	for _, pieces := range [][]string{{"<pad>", "</s>", " ", " [SEP]"}, {"<pad:chars>", "</s>", "a"}} {
		data, err := TokenizerFile(pieces)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var d document
		if json.Unmarshal(data, &d) != nil {
			return
		}
		if pieces, err := d.pieces(); err == nil && len(pieces) < 2 {
			t.Errorf("accepted %q", pieces)
		}
	})
}
