package models_test

import (
	"fmt"

	"github.com/nopezoo/zoo/models"
)

func Example() {
	m, err := models.New(models.Config{Encoding: "alibi", DModel: 16, NLayers: 2, NHeads: 2, DFF: 32, VocabSize: 9})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(models.Count(m.Params()), "weights")
	g, states, err := m.Graph(models.Mode{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, in := range g.Inputs {
		fmt.Println(in.Name)
	}
	fmt.Println(len(states), "states, such as", states[0].Past)
	// Output:
	// 4320 weights
	// input_ids
	// attention_mask
	// cache_position
	// past_key_values.0.key
	// past_key_values.0.value
	// past_key_values.1.key
	// past_key_values.1.value
	// logits_to_keep
	// 4 states, such as past_key_values.0.key
}
