package card_test

import (
	"fmt"

	"github.com/nopezoo/zoo/card"
)

func Example() {
	c := card.Card{
		Architecture: "decoder",
		Positions:    "contiguous",
		Profile:      card.Portable,
		Trained:      card.Lengths{Min: 2, Max: 20},
		Loss:         new(0.02),
	}
	metadata, err := c.Metadata()
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := card.Parse(metadata)
	fmt.Println(metadata["zoo.schema"], back.Trained.Max, *back.Loss, back.Parity == nil, err)
	// Output: 1.0 20 0.02 true <nil>
}
