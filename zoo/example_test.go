package zoo_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native" // the engine
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

func ExampleOpen() {
	s, err := zoo.Open("copy-alibi", zoo.Options{Catalogue: catalogue.Embedded()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println(s.Info().Card.Encoding, s.Info().Card.Trained)
	answer, err := s.Complete(context.Background(), "Copy: milk O 5 [SEP] ", runtime.GenerateOptions{})
	fmt.Printf("%q %v\n", answer, err)
	// Output:
	// alibi {2 20}
	// "milk O 5" <nil>
}

// A model that was found can be changed before it is opened or written.
func ExampleFind() {
	names := zoo.Options{Catalogue: catalogue.Embedded()}
	m, err := zoo.Find("copy-rope", names)
	if err != nil {
		fmt.Println(err)
		return
	}
	small, err := m.As("int8")
	if err != nil {
		fmt.Println(err)
		return
	}
	whole, _, err := m.ONNX(card.Portable)
	if err != nil {
		fmt.Println(err)
		return
	}
	file, _, err := small.ONNX(card.Portable)
	fmt.Println(small.From, len(file) < len(whole)/2, err)
	_, err = zoo.Find("copy-rop", names)
	fmt.Println(err)
	// Output:
	// the catalogue's copy-rope, in int8 true <nil>
	// unknown model "copy-rop"; did you mean "copy-rope"?
}
