package pe_test

import (
	"fmt"

	"github.com/nopezoo/zoo/models/pe"
)

func Example() {
	row, err := pe.Find("alibi")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(row.Source)
	_, err = row.Make.New(pe.Dims{Model: 16, Heads: 2, Head: 8, Layers: 2}, []byte(`{"factor": 2}`))
	fmt.Println(err)
	_, err = row.Make.New(pe.Dims{Model: 16, Heads: 2, Head: 8, Layers: 2}, []byte(`{"facter": 2}`))
	fmt.Println(err)
	// Output:
	// Press et al. 2021, arXiv 2108.12409
	// <nil>
	// encoding alibi: settings {"facter": 2}: unknown key "facter"; did you mean "factor"? known: factor
}
