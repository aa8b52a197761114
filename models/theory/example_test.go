package theory_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/models/theory"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
)

func Example() {
	m, err := theory.Theorem1(16)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := open(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	positions, err := m.Positions(context.Background(), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", positions)
	// Output: [1.000 2.000 3.000 4.000 5.000 6.000 7.000 8.000 9.000 10.000 11.000 12.000 13.000 14.000 15.000 16.000]
}

func ExampleModel_Distances() {
	m, err := theory.Theorem2(16, pe.ALiBiSlopes(2))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := open(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	pairs, err := m.Distances(context.Background(), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range pairs[:3] {
		fmt.Println("distance", p.Distance, "ALiBi", p.ALiBi, "as ALiBi:", p.Error < 1e-4)
	}
	// Output:
	// distance 1 ALiBi -0.0625 as ALiBi: true
	// distance 2 ALiBi -0.125 as ALiBi: true
	// distance 4 ALiBi -0.25 as ALiBi: true
}

// open runs the model's file in pure Go.
func open(m *theory.Model) (*runtime.Session, error) {
	made := modelfile.Model{Config: m.Config, Weights: m.Weights, Card: card.Card{Tokenizer: m.Pieces}}
	file, err := made.ONNX(card.Portable)
	if err != nil {
		return nil, err
	}
	return runtime.OpenBytes(file, runtime.Options{Provider: "go"})
}
