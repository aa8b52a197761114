// Embed answers prompts with a model that is part of the program:
//
//	go run . 'Copy: 7 tree B [SEP] '    # 7 tree B
//	go run . < prompts.txt              # a prompt in each line
//	go run . -costs                     # start-up, speed and memory
//
// Ctrl-C ends an answer, and between two answers the program. The engine is the one in pure
// Go; with -tags ort it is ONNX Runtime. With -tags folder -model may name the folder of a pretrained model, too:
//
//	go run -tags folder . -model SmolLM2-135M 'The capital of France is'
//
// It is a module of its own, as a program that embeds zoo is.
package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/nopezoo/zoo/runtime"
)

// In float16 the file has half the size; the pure-Go engine makes float32 of it when it opens it.
//
//go:generate go run -C ../.. ./cmd/zoo export copy-rope --dtype float16 -o examples/embed/copy-rope.onnx

//go:embed copy-rope.onnx
var embedded []byte

func main() {
	file := flag.String("model", "", "answer with this `file` instead of the embedded model")
	most := flag.Int("n", 200, "the most tokens of an answer")
	costs := flag.Bool("costs", false, "print what an answer of -n tokens costs instead")
	flag.Parse()
	run := converse
	if *costs {
		run = measure
	}
	if err := run(*file, flag.Args(), *most); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// converse answers the prompts, or without any those that standard input has.
func converse(file string, prompts []string, most int) error {
	s, err := open(file)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, prompt := range prompts {
		if err := answer(s, prompt, most); err != nil {
			return err
		}
	}
	if len(prompts) > 0 {
		return nil
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		err := answer(s, lines.Text(), most)
		switch {
		case errors.Is(err, runtime.ErrInput), errors.Is(err, context.Canceled):
			fmt.Fprintln(os.Stderr, err) // another prompt may do
		case err != nil:
			return err
		}
	}
	return lines.Err()
}

// open opens a model file, or the embedded one for "".
func open(file string) (*runtime.Session, error) {
	if file == "" {
		return runtime.OpenBytes(embedded, runtime.Options{})
	}
	return openPath(file)
}

// answer prints the answer to a prompt, piece by piece, and ends its line also where it fails.
func answer(s *runtime.Session, prompt string, most int) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	defer fmt.Println()
	for step, err := range s.Stream(ctx, []runtime.Prompt{{Text: prompt}}, runtime.GenerateOptions{MaxNew: most}) {
		if err != nil {
			return err
		}
		fmt.Print(step.Text)
	}
	return nil
}
