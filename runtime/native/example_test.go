package native_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
)

// A program that imports this engine alone needs no cgo and no library. One that imports another,
// too, chooses by the provider.
func Example() {
	s, err := runtime.Open("../../examples/embed/copy-rope.onnx", runtime.Options{Provider: "go", Threads: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	answer, err := s.Complete(context.Background(), "Copy: 7 tree B [SEP] ", runtime.GenerateOptions{})
	fmt.Println(s.Info().Provider, s.Info().Engine, answer, err)
	// Output: go go 7 tree B <nil>
}
