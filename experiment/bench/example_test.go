package bench_test

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/bench"
	_ "github.com/nopezoo/zoo/runtime/native"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

func Example() {
	ctx := context.Background()
	model := bench.Model{Label: "copy-alibi", From: "the catalogue", ONNX: func() ([]byte, fs.FS, error) {
		file, err := catalogue.Embedded().ONNX("copy-alibi", card.Portable)
		return file, nil, err
	}}
	o := bench.Defaults()
	o.Providers, o.Lengths, o.Samples = []string{"go"}, task.Spans(5, 10), 4
	plan, err := bench.NewPlan(o)
	if err == nil {
		err = plan.Add(ctx, model)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range plan.Cells {
		fmt.Println("to measure:", c.Model, c.Task, c.Length)
	}
	rows, err := plan.Run(ctx, "", bench.Watch{})
	if err != nil {
		fmt.Println(err)
	}
	for _, r := range rows {
		fmt.Printf("length %d: %d of %d right\n", r.Length, r.Correct, r.N)
	}
	// Output:
	// to measure: copy-alibi copy 5
	// to measure: copy-alibi copy 10
	// length 5: 4 of 4 right
	// length 10: 4 of 4 right
}
