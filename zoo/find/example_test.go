package find_test

import (
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/find"
)

func Example() {
	f, err := find.New(find.Options{Runs: "runs", Catalogue: zoo.Embedded(), Warn: func(err error) { fmt.Println(err) }})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := f.Named("copy-rope")
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := m.ONNX(card.Portable)
	fmt.Println(m.From, m.Encoding, len(file) > 0, err)
	_, err = f.Named("copy-rop")
	fmt.Println(err)
	// Output:
	// the catalogue's copy-rope rope true <nil>
	// unknown model "copy-rop"; did you mean "copy-rope"?
}

func ExampleDescribe() {
	m, err := zoo.Embedded().Manifest("copy-rope")
	if err != nil {
		fmt.Println(err)
		return
	}
	e := find.Describe(m)
	fmt.Println(e.Encoding, "trained up to", e.TrainedMax, "answers up to", e.EffectiveLength)
	// Output: rope trained up to 20 answers up to 20
}
