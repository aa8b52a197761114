package zoo_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
	"github.com/nopezoo/zoo/zoo"
)

func Example() {
	file, err := zoo.ONNX("copy-alibi", card.Portable)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := runtime.OpenBytes(file, runtime.Options{Provider: "go"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println(s.Info().Card.Encoding, s.Info().Card.Trained)
	prompt, err := s.EncodePrompt(context.Background(), "Copy: milk O 5 [SEP] ")
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := s.GenerateAll(context.Background(), [][]int64{prompt}, runtime.GenerateOptions{MaxNew: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := s.Decode(out[0])
	fmt.Printf("%q %v\n", text, err)
	// Output:
	// alibi {2 20}
	// " milk O 5</s>" <nil>
}
