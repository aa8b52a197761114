package pe_test

import (
	"fmt"

	"github.com/nopezoo/zoo/models/pe"
)

func Example() {
	row, err := pe.Find("rope")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(row.Source)
	_, err = row.Make.New(pe.Dims{Model: 16, Heads: 2, Head: 8, Layers: 2}, []byte(`{"theta": 500}`))
	fmt.Println(err)
	_, err = row.Make.New(pe.Dims{Model: 16, Heads: 2, Head: 8, Layers: 2}, []byte(`{"thetta": 500}`))
	fmt.Println(err)
	// Output:
	// Su et al. 2021, arXiv 2104.09864
	// <nil>
	// encoding rope: settings {"thetta": 500}: json: unknown field "thetta"
}
