package runtime_test

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

const loaderChild = "ZOO_TEST_LOADER_CHILD"

// BenchmarkLoaders compares ONNX Runtime loaded through cgo with ONNX Runtime loaded through
// purego: two programs of this package, built with and without cgo, answer the same prompt in
// turns, at one thread. The ratio is of speeds, purego's over cgo's.
func BenchmarkLoaders(b *testing.B) {
	orttest.Require(b)
	list, err := catalogue.Embedded().List()
	if err != nil {
		b.Fatal(err)
	}
	var programs [2]string // without cgo, with cgo
	for c := range programs {
		programs[c] = filepath.Join(b.TempDir(), "loader")
		build := exec.Command("go", "test", "-c", "-o", programs[c], ".")
		build.Env = append(os.Environ(), fmt.Sprint("CGO_ENABLED=", c))
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	for _, profile := range []string{card.Portable, card.Fused} {
		for _, m := range list {
			if m.Card.Task != "copy" {
				continue // the task makes no difference
			}
			b.Run(profile+"/"+m.Name, func(b *testing.B) {
				var answers [2]func() time.Duration
				for c, program := range programs {
					answers[c] = startLoader(b, program, m.Name, profile)
					answers[c]() // makes the memory
				}
				var times [2][]time.Duration
				var ratios []float64
				for i := 0; b.Loop(); i++ {
					var took [2]time.Duration
					for turn := range took {
						c := (turn + i) % len(took)
						took[c] = answers[c]()
						times[c] = append(times[c], took[c])
					}
					ratios = append(ratios, took[1].Seconds()/took[0].Seconds())
				}
				b.ReportMetric(median(ratios), "ratio")
				b.ReportMetric(float64(median(times[0]).Nanoseconds())/1e3, "purego-µs/token")
				b.ReportMetric(float64(median(times[1]).Nanoseconds())/1e3, "cgo-µs/token")
			})
		}
	}
}

func median[T cmp.Ordered](list []T) T {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// startLoader has a program answer with a model: each call is one answer, and returns the median
// time of its tokens.
func startLoader(b *testing.B, program, model, profile string) func() time.Duration {
	cmd := exec.Command(program, "-test.run=^TestLoaderChild$")
	cmd.Env = append(os.Environ(), loaderChild+"="+model+" "+profile)
	cmd.Stderr = os.Stderr
	ask, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	answer, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = ask.Close()
		_, _ = io.Copy(io.Discard, answer)
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	lines := bufio.NewScanner(answer)
	return func() time.Duration {
		if _, err := fmt.Fprintln(ask); err != nil {
			b.Fatal(err)
		}
		if !lines.Scan() {
			b.Fatal("the program has ended")
		}
		n, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		return time.Duration(n)
	}
}

// TestLoaderChild is BenchmarkLoaders's program.
func TestLoaderChild(t *testing.T) {
	name, profile, found := strings.Cut(os.Getenv(loaderChild), " ")
	if !found {
		t.Skip("BenchmarkLoaders starts this test")
	}
	model, err := catalogue.Embedded().ONNX(name, profile)
	if err != nil {
		t.Fatal(err)
	}
	s, err := runtime.OpenBytes(model, runtime.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	prompts := randomRows(1, 32)
	for i := range prompts[0] {
		prompts[0][i] %= int64(s.Info().VocabSize)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var times []time.Duration
		last := time.Now()
		for _, err := range s.Generate(t.Context(), prompts, runtime.GenerateOptions{MaxNew: 200, Stop: []int64{}}) {
			if err != nil {
				t.Fatal(err)
			}
			times = append(times, time.Since(last))
			last = time.Now()
		}
		fmt.Println(median(times).Nanoseconds())
	}
}
