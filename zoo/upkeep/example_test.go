package upkeep_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/upkeep"
)

// What the catalogue holds stands here for a model that was trained again.
func ExampleCompare() {
	catalogue := zoo.Embedded()
	m, err := catalogue.Manifest("copy-rope")
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := catalogue.Model(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := upkeep.Compare(context.Background(), m, again, m.CPU)
	fmt.Println("the same bits:", c.SameBits, err)
	// Output: the same bits: true <nil>
}
