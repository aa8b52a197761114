package task_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
)

func Example() {
	k, err := task.Lookup("copy")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := k.Sample(rand.New(rand.NewPCG(1, 2)), 3, task.Train)
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

func ExampleTask_Draw() {
	k, err := task.Lookup("addition")
	if err != nil {
		fmt.Println(err)
		return
	}
	for s, err := range k.Draw([]int{1, 2}, 1, 7, task.Test) {
		fmt.Println(s.Prompt+s.Target, err)
	}
	// Output:
	// Compute 3 + 4 ? The answer is 7. <nil>
	// Compute 4 3 + 1 ? The answer is 4 4. <nil>
}

func ExampleTask_Published() {
	k, err := task.Lookup("scan")
	if err != nil {
		fmt.Println(err)
		return
	}
	file := strings.NewReader("IN: jump twice OUT: I_JUMP I_JUMP\nIN: walk OUT: I_RUN\n")
	samples, same, err := k.Published(file)
	fmt.Printf("%d samples, %d with our target, %v\n", len(samples), same, err)
	for answer, err := range k.Answers(strings.NewReader("walk after run\njump and jump and jump\n")) {
		fmt.Printf("%q %v\n", answer, err)
	}
	// Output:
	// 2 samples, 1 with our target, <nil>
	// "Run Walk" <nil>
	// "" line 2: phrase "jump and jump": expected left or right, with or without opposite or around before it
}

func ExampleAll() {
	for _, k := range task.All()[:3] {
		s, err := k.Sample(rand.New(rand.NewPCG(1, 0)), 2, task.Whole)
		fmt.Println(k.Name, "is trained at", k.Train, "such as", strings.TrimSpace(s.Prompt), err)
	}
	// Output:
	// copy is trained at 2..20 such as Copy: dog 9 [SEP] <nil>
	// copy-cmc2x is trained at 2..20 such as Copy: dog 9 [SEP] <nil>
	// copy-rsc is trained at 2..20 such as Copy: dog dog [SEP] <nil>
}

func ExampleTask_Write() {
	t, err := task.Lookup("addition")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := task.Sample{Prompt: "Compute 3 + 4 ? ", Target: "The answer is 7.", Length: 1}
	fmt.Println(t.Write(os.Stdout, "text", s, ""), t.Write(os.Stdout, "jsonl", s, task.Train))
	fmt.Println(t.Write(os.Stdout, "json", s, ""))
	// Output:
	// Compute 3 + 4 ? 	The answer is 7.
	// {"task":"addition","length":1,"split":"train","prompt":"Compute 3 + 4 ? ","target":"The answer is 7."}
	// <nil> <nil>
	// unknown format "json"; did you mean "jsonl"? known: text, jsonl
}
