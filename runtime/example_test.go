package runtime_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
)

// A file is opened with Open, or OpenFS when it is embedded. This example makes
// a tiny untrained model itself, and runs it without ONNX Runtime.
func Example() {
	model, err := spec{encoding: "rope"}.build()
	if err != nil {
		log.Fatal(err)
	}
	s, err := runtime.OpenBytes(model, runtime.Options{Provider: "go"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	fmt.Println(s.Info().Card.Encoding, s.Info().VocabSize)

	prompt, err := s.EncodePrompt("a")
	if err != nil {
		log.Fatal(err)
	}
	opt := runtime.GenerateOptions{MaxNew: 3, Stop: []int64{}}
	for step, err := range s.Generate(context.Background(), [][]int64{prompt, prompt}, opt) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("tokens for", len(step.Tokens), "prompts, equal:", step.Tokens[0] == step.Tokens[1])
	}
	// Output:
	// rope 50
	// tokens for 2 prompts, equal: true
	// tokens for 2 prompts, equal: true
	// tokens for 2 prompts, equal: true
}

// Each prompt may have its own way of choosing tokens, and its own seed. Steps tell what the
// model itself thought of them.
func ExampleSampling() {
	model, err := spec{encoding: "rope"}.build()
	if err != nil {
		log.Fatal(err)
	}
	s, err := runtime.OpenBytes(model, runtime.Options{Provider: "go"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	opt := runtime.GenerateOptions{MaxNew: 3, Stop: []int64{}, LogProbs: true, TopLogProbs: 2}
	opt.PerRow = []runtime.Sampling{
		{}, // the most probable token each time
		{Temperature: 0.8, MinP: 0.05, PresencePenalty: 0.5, Seed: 7},
		{LogitBias: map[int64]float64{5: 1000}},
	}
	for step, err := range s.Generate(context.Background(), [][]int64{{2, 3}, {2, 3}, {2, 3}}, opt) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(step.LogProbs[0].Chosen == step.LogProbs[0].Top[0].LogProb, step.Tokens[2])
	}
	// Output:
	// true 5
	// true 5
	// true 5
}
