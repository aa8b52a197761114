package find_test

import (
	"fmt"

	"github.com/nopezoo/zoo/cmd/zoo/internal/find"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// Runs come before the catalogue; here there are none.
func Example() {
	f, err := find.New(zoo.Options{Runs: "runs", Catalogue: catalogue.Embedded()})
	if err != nil {
		fmt.Println(err)
		return
	}
	if f, err = f.On("copy"); err != nil {
		fmt.Println(err)
		return
	}
	found, err := f.Newest("rope", "alibi")
	for _, m := range found {
		fmt.Println(m.From)
	}
	fmt.Println(err)
	// Output:
	// the catalogue's copy-rope
	// the catalogue's copy-alibi
	// <nil>
}
