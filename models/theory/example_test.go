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
	for _, p := range positions[13:] {
		fmt.Printf("position %d is recovered as %.3f\n", p.Position, p.Value)
	}
	// Output:
	// position 14 is recovered as 14.000
	// position 15 is recovered as 15.000
	// position 16 is recovered as 16.000
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
	found, err := m.Distances(context.Background(), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range found.Pairs[:3] {
		fmt.Println("distance", p.Distance, "ALiBi", p.ALiBi, "as ALiBi:", p.Error < 1e-4)
	}
	// Output:
	// distance 1 ALiBi -0.0625 as ALiBi: true
	// distance 2 ALiBi -0.125 as ALiBi: true
	// distance 4 ALiBi -0.25 as ALiBi: true
}

// open runs the model's file in pure Go.
func open(m *theory.Model) (*runtime.Session, error) {
	file, err := modelfile.Model{Config: m.Config, Weights: m.Weights, Card: card.Card{Tokenizer: m.Pieces}}.ONNX(card.Portable)
	if err != nil {
		return nil, err
	}
	return runtime.OpenBytes(file, runtime.Options{Provider: "go"})
}
