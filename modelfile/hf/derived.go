package hf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/tokenizer"
)

// untied is the parameter of an output matrix that is not the embedding.
const untied = "head.weight"

// putDerived writes what other readers expect to be said and what follows from
// the model: with a tokenizer, its ids too.
func (d document) putDerived(m models.Model, pieces []string) error {
	name := m.Config().Architecture
	tied := !slices.ContainsFunc(m.Params(), func(p pe.Param) bool { return p.Name == untied })
	values := map[string]any{
		architecturesKey:      []string{class(typePrefix + name)},
		"tie_word_embeddings": tied,
		"torch_dtype":         "float32",
		"bos_token_id":        nil,
	}
	if name == "decoder" {
		biased := func(part string) bool {
			return slices.ContainsFunc(m.Params(), func(p pe.Param) bool { return p.Name == layer(0)+part+".bias" })
		}
		values["attention_bias"], values["mlp_bias"] = biased("attn.q_proj") && biased("attn.o_proj"), biased("mlp.up_proj")
	}
	if n := m.MaxLength(); n > 0 {
		values["max_position_embeddings"] = n
	}
	if len(pieces) > 0 {
		if _, err := tokenizer.New(pieces); err != nil {
			return err
		}
		values["pad_token_id"], values["eos_token_id"] = tokenizer.Pad, tokenizer.EOS
	}
	for name, value := range values {
		if err := d.set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// derivedKeys are all that putDerived may write, and that a file may lack.
var derivedKeys = []string{
	architecturesKey, "tie_word_embeddings", "attention_bias", "mlp_bias", "max_position_embeddings",
	"eos_token_id", "pad_token_id",
}

// checkDerived compares what else the document says than the configuration with
// what follows from it.
func (d document) checkDerived(m models.Model, pieces []string) error {
	follows := document{}
	if err := follows.putDerived(m, pieces); err != nil {
		return err
	}
	for _, name := range derivedKeys {
		if !d.has(name) || !follows.has(name) {
			continue
		}
		var small bytes.Buffer
		if err := json.Compact(&small, d[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !bytes.Equal(small.Bytes(), follows[name]) {
			return fmt.Errorf("%s is %s: for the model that the other keys give it is %s",
				name, clip(small.Bytes()), follows[name])
		}
	}
	return nil
}

// checkKeys refuses a key of which it is not known what it means.
func (d document) checkKeys() error {
	known := slices.Concat([]string{typeKey, provenanceKey}, derivedKeys, harmless)
	for _, k := range keys(&models.Config{}) {
		known = append(known, k.name)
	}
	slices.Sort(known)
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%w (remove it if the model does not depend on it)", suggest.Unknown("key", name, known))
		}
	}
	return nil
}
