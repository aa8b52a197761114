package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"

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

// What many prompts begin with is read once.
func ExampleSession_Prefill() {
	model, err := spec{encoding: "rope"}.build()
	if err != nil {
		log.Fatal(err)
	}
	s, err := runtime.OpenBytes(model, runtime.Options{Provider: "go", PrefixBytes: 64 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	ctx, beginning := context.Background(), []int64{2, 3, 4, 5, 6, 7, 8}
	prefix, err := s.Prefill(ctx, beginning)
	if err != nil {
		log.Fatal(err)
	}
	defer prefix.Close()
	opt := runtime.GenerateOptions{MaxNew: 3, Stop: []int64{}, Prefix: prefix}
	var answer []int64
	for _, question := range [][]int64{{9, 10}, {11}} {
		answers, err := s.GenerateAll(ctx, [][]int64{append(beginning[:7:7], question...)}, opt)
		if err != nil {
			log.Fatal(err)
		}
		answer = answers[0]
	}
	// A conversation goes on from what was said last.
	longer, err := prefix.Extend(ctx, append([]int64{11}, answer...))
	if err != nil {
		log.Fatal(err)
	}
	defer longer.Close()
	fmt.Println(len(prefix.IDs()), len(longer.IDs()), longer.Bytes() > prefix.Bytes())
	// Output:
	// 7 11 true
}

// Callers on goroutines of their own share the runs of one model.
func ExampleBatcher() {
	model, err := spec{encoding: "rope"}.build()
	if err != nil {
		log.Fatal(err)
	}
	s, err := runtime.OpenBytes(model, runtime.Options{Provider: "go"})
	if err != nil {
		log.Fatal(err)
	}
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
			opt := runtime.GenerateOptions{MaxNew: 5, Stop: []int64{}}
			answer, err := b.Complete(context.Background(), "a", opt)
			if errors.Is(err, runtime.ErrBusy) {
				return // a server says 429
			}
			if err != nil {
				log.Fatal(err)
			}
			answers[i] = answer
		})
	}
	callers.Wait()
	fmt.Println(answers[0] != "", answers[0] == answers[19], b.Stats().Tokens)
	// Output:
	// true true 100
}

// Answers to several prompts come as text, piece by piece: whole characters, and nothing that a
// stop string may still take back.
func ExampleSession_StreamAll() {
	model, err := spec{encoding: "rope"}.build()
	if err != nil {
		log.Fatal(err)
	}
	s, err := runtime.OpenBytes(model, runtime.Options{Provider: "go"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	prompts := append(runtime.Texts("a"), runtime.Prompt{IDs: []int64{2}})
	opt := runtime.GenerateOptions{MaxNew: 4, Stop: []int64{}, StopStrings: []string{"\n\n"}}
	answers := make([]string, len(prompts))
	for step, err := range s.StreamAll(context.Background(), prompts, opt) {
		if err != nil {
			log.Fatal(err)
		}
		answers[step.Prompt] += step.Text
		if step.Finish != "" {
			fmt.Println("prompt of", step.PromptTokens, "token, answer of", step.Tokens, "up to its", step.Finish)
		}
	}
	fmt.Println("equal:", answers[0] == answers[1])
	// Output:
	// prompt of 1 token, answer of 4 up to its limit
	// prompt of 1 token, answer of 4 up to its limit
	// equal: true
}
