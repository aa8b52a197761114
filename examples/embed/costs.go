package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/nopezoo/zoo/runtime"
)

// begunKey is the environment variable that tells a program which measure has started when
// that was, in nanoseconds since 1970.
const begunKey = "EMBED_BEGUN"

// measure prints what an answer costs a program that starts for it: this one, started anew.
func measure(file string, prompts []string, most int) error {
	if begun, err := strconv.ParseInt(os.Getenv(begunKey), 10, 64); err == nil {
		return measured(time.Unix(0, begun), file, prompts, most)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	anew := exec.Command(program, os.Args[1:]...)
	anew.Stdout, anew.Stderr = os.Stdout, os.Stderr
	anew.Env = append(os.Environ(), fmt.Sprintf("%s=%d", begunKey, time.Now().UnixNano()))
	return anew.Run()
}

// measured prints what an answer costs in this program, which has begun at a time.
func measured(begun time.Time, file string, prompts []string, most int) error {
	if len(prompts) == 0 {
		prompts = []string{"Copy: 7 tree B [SEP] "}
	}
	start := time.Since(begun)
	s, err := open(file)
	if err != nil {
		return err
	}
	defer s.Close()
	opened, memory := time.Since(begun), peakMemory()
	var first, last time.Duration
	opt := runtime.GenerateOptions{MaxNew: most, Stop: []int64{}} // goes on, whatever the model says
	tokens := 0
	for _, err := range s.Stream(context.Background(), []runtime.Prompt{{Text: prompts[0]}}, opt) {
		if err != nil {
			return err
		}
		if last = time.Since(begun); tokens == 0 {
			first = last
		}
		tokens++
	}
	milliseconds := func(d time.Duration) float64 { return d.Seconds() * 1e3 }
	fmt.Printf("from start to main: %.1f ms\n", milliseconds(start))
	fmt.Printf("to the open model: %.1f ms\n", milliseconds(opened))
	fmt.Printf("to the first token: %.1f ms\n", milliseconds(first))
	if tokens > 1 {
		fmt.Printf("speed after it: %.0f tokens/s\n", float64(tokens-1)/(last-first).Seconds())
	}
	fmt.Printf("peak memory, model open: %s\n", memory)
	fmt.Printf("peak memory, answered: %s\n", peakMemory())
	return nil
}

// peakMemory says how much main memory this process has held at most.
func peakMemory() string {
	status, err := os.Open("/proc/self/status")
	if err != nil {
		return "known on Linux only"
	}
	defer status.Close()
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if size, found := strings.CutPrefix(lines.Text(), "VmHWM:"); found {
			return strings.TrimSpace(size)
		}
	}
	return "not known"
}
