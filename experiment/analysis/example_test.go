package analysis_test

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/experiment/analysis"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// A head of hard ALiBi that looks at the token before.
func Example() {
	manifest, err := catalogue.Embedded().Manifest("unique-copy-hard-alibi")
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := catalogue.Embedded().Model(manifest.Name)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := analysis.NewModel(manifest.Name, model)
	if err != nil {
		fmt.Println(err)
		return
	}
	o := analysis.Defaults()
	o.Samples, o.Lengths, o.Tokens = 4, []int{10}, []string{eval.TaskTokens}
	plan, err := analysis.NewPlan([]*analysis.Model{m}, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	log, err := plan.Resume("") // a file would keep them
	if err != nil {
		fmt.Println(err)
		return
	}
	observations, err := plan.Run(context.Background(), log, func(int64, func() string) {})
	if err != nil {
		fmt.Println(err)
		return
	}
	head := observations[1]
	fmt.Printf("layer %d, head %d: %.0f %% on the token before, %.0f %% at random\n", head.Layer, head.Head,
		100*head.Values[eval.RolePrevious], 100*head.Control[eval.RolePrevious])
	fmt.Printf("%.0f of %d prompts are right\n", head.Values["correct"], head.N)
	// Output:
	// layer 0, head 1: 100 % on the token before, 6 % at random
	// 4 of 4 prompts are right
}
