package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"math"
	"os"
	"sync"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
	"github.com/nopezoo/zoo/tokenizer"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// copyRope opens the catalogue's model of that name, which repeats words, in pure Go.
func copyRope(opt runtime.Options) *runtime.Session {
	file, err := catalogue.Embedded().ONNX("copy-rope", card.Portable)
	if err != nil {
		log.Fatal(err)
	}
	opt.Provider = "go"
	s, err := runtime.OpenBytes(file, opt)
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// A program opens a file, and asks. The engine is the one that it links: here that in pure Go,
// by import _ "github.com/nopezoo/zoo/runtime/native".
func Example() {
	s, err := runtime.Open("../examples/embed/copy-rope.onnx", runtime.Options{Provider: "go"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	answer, err := s.Complete(context.Background(), "Copy: 7 tree B [SEP] ", runtime.GenerateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	// Output: 7 tree B
}

// A model that is part of the program is opened from an embed.FS, which is an fs.FS, or, from a
// variable with its bytes, by OpenBytes.
func ExampleOpenFS() {
	files := os.DirFS("../examples/embed") // in place of: //go:embed copy-rope.onnx
	s, err := runtime.OpenFS(files, "copy-rope.onnx", runtime.Options{Provider: "go"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	info := s.Info()
	fmt.Println(info.Engine, info.Card.Encoding, info.VocabSize)
	// Output: go rope 106
}

// Generate works on token ids, which Encode and Decode make of texts and texts of.
func ExampleSession_Generate() {
	s := copyRope(runtime.Options{})
	defer s.Close()
	prompt, err := s.EncodePrompt(context.Background(), "Copy: 7 tree B [SEP] ")
	if err != nil {
		log.Fatal(err)
	}
	var answer []int64
	for step, err := range s.Generate(context.Background(), [][]int64{prompt}, runtime.GenerateOptions{MaxNew: 3}) {
		if err != nil {
			log.Fatal(err)
		}
		answer = append(answer, step.Tokens[0])
	}
	text, err := s.Decode(answer)
	fmt.Printf("%d tokens, %q, %v\n", len(answer), text, err)
	// Output: 3 tokens, " 7 tree B", <nil>
}

// Text comes piece by piece: whole characters, and nothing that is taken back later. Several prompts are continued as
// one batch. A step says which of them goes on, and how it has ended.
func ExampleSession_Stream() {
	s := copyRope(runtime.Options{})
	defer s.Close()
	prompts := []runtime.Prompt{{Text: "Copy: 7 tree B [SEP] "}, {Text: "Copy: A 5 [SEP] "}}
	opt := runtime.GenerateOptions{Limits: []int{2, 100}}
	for step, err := range s.Stream(context.Background(), prompts, opt) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d: %q\n", step.Prompt, step.Text)
		if step.Finish != "" {
			fmt.Printf("%d: ended by its %s\n", step.Prompt, step.Finish)
		}
	}
	// Output:
	// 0: "7"
	// 1: "A"
	// 0: " tree"
	// 0: ended by its limit
	// 1: " 5"
	// 1: ""
	// 1: ended by its stop token
}

// Completions tell why they ended, and, where asked, how probable their tokens were.
func ExampleCompletions() {
	s := copyRope(runtime.Options{})
	defer s.Close()
	opt := runtime.GenerateOptions{LogProbs: true, TopLogProbs: 2}
	answers, err := runtime.Completions(s.Stream(context.Background(), []runtime.Prompt{{Text: "Copy: 7 tree B [SEP] "}, {Text: "Copy: A 5 [SEP] "}}, opt))
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range answers {
		first := a.LogProbs[0]
		fmt.Printf("%q, %s, %d tokens, the first with probability %.2f, of %d told\n", a.Text, a.Finish, len(a.Tokens),
			math.Exp(first.Chosen), len(first.Top))
	}
	// Output:
	// "7 tree B", stop token, 4 tokens, the first with probability 1.00, of 2 told
	// "A 5", stop token, 3 tokens, the first with probability 1.00, of 2 told
}

// A stop string ends an answer before it, however it is cut into tokens.
func ExampleGenerateOptions() {
	s := copyRope(runtime.Options{})
	defer s.Close()
	opt := runtime.GenerateOptions{MaxNew: 50, StopStrings: []string{"ee B"}}
	answers, err := runtime.Completions(s.Stream(context.Background(), []runtime.Prompt{{Text: "Copy: 7 tree B [SEP] "}}, opt))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q, %s\n", answers[0].Text, answers[0].Finish)
	// Output: "7 tr", stop string
}

// Each prompt may have its own way of choosing tokens. The same prompt, settings and seed give
// the same answer.
func ExampleSampling() {
	s := copyRope(runtime.Options{})
	defer s.Close()
	tree, err := s.Encode(context.Background(), " tree")
	if err != nil {
		log.Fatal(err)
	}
	free := runtime.Sampling{Temperature: 5, TopK: 20, MinP: 0.01, Seed: 7}
	const prompt = "Copy: 7 tree B [SEP] "
	answers, err := runtime.Completions(s.Stream(context.Background(), []runtime.Prompt{{Text: prompt}, {Text: prompt}, {Text: prompt}, {Text: prompt}},
		runtime.GenerateOptions{MaxNew: 10, PerRow: []runtime.Sampling{
			{}, // the most probable token each time
			{LogitBias: map[int64]float64{tree[0]: math.Inf(-1)}}, // never this one
			free, free,
		}}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answers[0].Text)
	fmt.Println(answers[1].Text != answers[0].Text)
	fmt.Println(answers[2].Text != answers[0].Text, answers[2].Text == answers[3].Text)
	// Output:
	// 7 tree B
	// true
	// true true
}

// What many prompts begin with is read once. Prompts are given whole all the same.
func ExampleSession_Prefill() {
	s := copyRope(runtime.Options{PrefixBytes: 64 << 20})
	defer s.Close()
	ctx := context.Background()
	beginning, err := s.Encode(ctx, "Copy: 7 tree B")
	if err != nil {
		log.Fatal(err)
	}
	prefix, err := s.Prefill(ctx, beginning)
	if err != nil {
		log.Fatal(err)
	}
	defer prefix.Close() // it holds memory until then
	for _, rest := range []string{" [SEP] ", " 5 A [SEP] "} {
		answer, err := s.Complete(ctx, "Copy: 7 tree B"+rest, runtime.GenerateOptions{Prefix: prefix})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer)
	}
	// Output:
	// 7 tree B
	// 7 tree B 5 A
}

// A conversation goes on from what has been said: the new prefix is one of its own.
func ExamplePrefix_Extend() {
	s := copyRope(runtime.Options{})
	defer s.Close()
	ctx := context.Background()
	said, err := s.Encode(ctx, "Copy: 7 tree")
	if err != nil {
		log.Fatal(err)
	}
	more, err := s.Encode(ctx, " B")
	if err != nil {
		log.Fatal(err)
	}
	prefix, err := s.Prefill(ctx, said)
	if err != nil {
		log.Fatal(err)
	}
	defer prefix.Close()
	longer, err := prefix.Extend(ctx, more)
	if err != nil {
		log.Fatal(err)
	}
	defer longer.Close()
	answer, err := s.Complete(ctx, "Copy: 7 tree B [SEP] ", runtime.GenerateOptions{Prefix: longer})
	fmt.Println(len(prefix.IDs), len(longer.IDs), answer, err)
	// Output: 4 5 7 tree B <nil>
}

// Callers on goroutines of their own share the runs of one model, within bounds.
func ExampleBatcher() {
	s := copyRope(runtime.Options{})
	defer s.Close()
	b, err := runtime.NewBatcher(s, runtime.BatcherOptions{MaxRows: 8, MaxBytes: 64 << 20, MaxQueue: 100})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	answers := make([]string, 20)
	var callers sync.WaitGroup
	for i := range answers {
		callers.Go(func() {
			all, err := runtime.Completions(b.Stream(context.Background(), []runtime.Prompt{{Text: "Copy: 7 tree B [SEP] "}}, runtime.GenerateOptions{}))
			if errors.Is(err, runtime.ErrBusy) {
				return // a server says 429
			}
			if err != nil {
				log.Fatal(err)
			}
			answers[i] = all[0].Text
		})
	}
	callers.Wait()
	fmt.Println(answers[0], answers[0] == answers[19], b.Stats().Tokens)
	// Output: 7 tree B true 80
}

// errors.Is tells what an error is about, and so who can do something about it.
func Example_errors() {
	s := copyRope(runtime.Options{})
	about := func(err error) string {
		var unknown *tokenizer.UnknownError
		switch {
		case errors.As(err, &unknown):
			return "the prompt has a word that the model does not know"
		case errors.Is(err, runtime.ErrTooLong):
			return "the prompt is too long for the model"
		case errors.Is(err, runtime.ErrInput):
			return "the call is wrong"
		case errors.Is(err, runtime.ErrBusy):
			return "try later"
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			return "the caller waits no longer"
		case errors.Is(err, runtime.ErrNoProvider), errors.Is(err, runtime.ErrNoRuntime), errors.Is(err, runtime.ErrNoCgo):
			return "this machine or this program lacks something"
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, runtime.ErrFile):
			return "the file is wrong"
		}
		return "a fault: log it"
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, missing := runtime.Open("no-such-file.onnx", runtime.Options{Provider: "go"})
	_, word := s.Complete(context.Background(), "Copy: zebra [SEP] ", runtime.GenerateOptions{})
	_, setting := s.Complete(context.Background(), "Copy: 7 [SEP] ", runtime.GenerateOptions{MaxNew: -1})
	_, over := s.Complete(ended, "Copy: 7 [SEP] ", runtime.GenerateOptions{})
	for _, err := range []error{missing, word, setting, over, s.Close()} {
		if err != nil {
			fmt.Println(about(err))
		}
	}
	// Output:
	// the file is wrong
	// the prompt has a word that the model does not know
	// the call is wrong
	// the caller waits no longer
}
