package hf_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/ort" // the engine in pure Go has not all that other exporters write
	"github.com/nopezoo/zoo/tokenizer/hf"
)

// A tokenizer.json is read from its bytes, or from its folder by Load.
func ExampleNew() {
	t, err := hf.New([]byte(`{
		"model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "to": 1, "be": 2, "or": 3, "not": 4}},
		"pre_tokenizer": {"type": "Whitespace"}}`))
	if err != nil {
		log.Fatal(err)
	}
	ids, err := t.Encode(context.Background(), "to be or not to be")
	if err != nil {
		log.Fatal(err)
	}
	text, err := t.Decode(ids)
	fmt.Println(ids, text, err)
	// Output: [1 2 3 4 1 2] to be or not to be <nil>
}

// A decoder that Optimum exported answers texts where this package is linked: runtime.Open finds
// its tokenizer.json, in the folder of the file or the one around a folder "onnx".
func Example() {
	s, err := runtime.Open("SmolLM2-135M/onnx/model.onnx", runtime.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	prompts := []runtime.Prompt{{Text: "The capital of France is"}}
	for step, err := range s.Stream(context.Background(), prompts, runtime.GenerateOptions{MaxNew: 20}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(step.Text)
	}
}
