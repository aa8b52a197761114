package analysis_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/analysis"
	"github.com/nopezoo/zoo/zoo"
)

// A head of hard ALiBi that looks at the token before.
func Example() {
	manifest, err := zoo.Embedded().Manifest("unique-copy-hard-alibi")
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := zoo.Embedded().Model(manifest)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := analysis.NewModel(manifest.Name, model)
	if err != nil {
		fmt.Println(err)
		return
	}
	words, err := task.Lookup("unique-copy")
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := analysis.Heads(context.Background(), m, analysis.Request{
		Task: words, Length: 10, Samples: 4, Seed: 1, Tokens: eval.TaskTokens}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	f := found[1]
	fmt.Printf("layer %d, head %d: %s, distance %.1f\n", f.Layer, f.Attention.Head, f.Attention.Label, f.Attention.Mean)
	// Output: layer 0, head 1: previous, distance 1.0
}
