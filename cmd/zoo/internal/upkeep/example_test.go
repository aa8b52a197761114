package upkeep_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/nopezoo/zoo/cmd/zoo/internal/upkeep"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// What the catalogue holds stands here for a model that was trained again.
func ExampleCompare() {
	catalogue := catalogue.Embedded()
	m, err := catalogue.Manifest("copy-rope")
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := catalogue.Model(m.Name)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := upkeep.Compare(context.Background(), m, again, m.CPU)
	fmt.Println("the same bits:", c.SameBits, err)
	// Output: the same bits: true <nil>
}

// Path names a zoo; there is none here.
func ExampleRetrain() {
	missing := upkeep.Program{Path: "/nowhere/zoo", Environ: os.Environ(), Output: os.Stderr}
	_, err := upkeep.Retrain(context.Background(), "zoo train --pe rope", missing)
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	_, err = upkeep.Retrain(context.Background(), "rm -r runs", missing)
	fmt.Println(err)
	// Output:
	// true
	// the manifest's command is "rm -r runs": want one that begins with zoo train
}
