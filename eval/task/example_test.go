package task_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/nopezoo/zoo/eval/task"
)

func Example() {
	k, err := task.Lookup("copy")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := task.SampleSplit(k, rand.New(rand.NewPCG(1, 2)), 3, task.Train)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n%q\n", s.Prompt, s.Target)
	// Output:
	// "Copy: milk O 5 [SEP] "
	// "milk O 5"
}

func ExampleParseLengths() {
	lengths, _ := task.ParseLengths("20..200,400")
	fmt.Println(lengths)
	_, err := task.ParseLengths("200..20")
	fmt.Println(err)
	// Output:
	// [20 40 60 80 100 120 140 160 180 200 400]
	// lengths "200..20": 200..20 runs backwards; valid forms: "20", "20..200" (at most ten lengths ending at 200), "20..200+1" (every length), "20..200+20" (steps of 20), "32..4096*2" (doubling), and several of them with commas
}
