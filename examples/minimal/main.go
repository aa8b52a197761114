// Minimal answers one prompt with a model file of zoo's, by ONNX Runtime:
//
//	minimal copy-alibi.onnx 'Copy: 7 tree B [SEP] '
//
// It is a module of its own, as a program that embeds zoo is.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/ort" // the engine; runtime/native is the one in pure Go
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: minimal FILE PROMPT")
	}
	s, err := runtime.Open(os.Args[1], runtime.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	answer, err := s.Complete(context.Background(), os.Args[2], runtime.GenerateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}
