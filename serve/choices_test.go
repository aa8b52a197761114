package serve_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nopezoo/zoo/runtime"
)

// BenchmarkChoices asks for eight answers to one prompt of 100 tokens, which runtime.Batcher reads
// once, and in turns for one answer to each of eight such prompts.
//
//	go test ./serve -run '^$' -bench Choices -load-provider cpu
func BenchmarkChoices(b *testing.B) {
	_, server := catalogued(b, runtime.BatcherOptions{})
	words := []string{"7 ", "tree ", "B "}
	prompts := make([]string, 8)
	for i := range prompts {
		text := "Copy: "
		for k := range 97 {
			text += words[(k*(i+1)+k*k/7)%len(words)]
		}
		prompts[i] = quote(text + "[SEP] ")
	}
	for _, tokens := range []int{1, 16} {
		b.Run(fmt.Sprintf("tokens=%d", tokens), func(b *testing.B) {
			ask := func(prompt string, n int) time.Duration {
				began := time.Now()
				body := fmt.Sprintf(`{"model": "copy", "prompt": %s, "n": %d, "max_tokens": %d, "temperature": 1}`, prompt, n, tokens)
				c := answer(b, server, body)
				if len(c.Choices) != len(prompts) || c.Usage.Prompt%100 != 0 {
					b.Fatalf("%d choices, %+v", len(c.Choices), c.Usage)
				}
				return time.Since(began)
			}
			var once, each []time.Duration
			for b.Loop() {
				once = append(once, ask(prompts[0], 8))
				each = append(each, ask("["+strings.Join(prompts, ",")+"]", 1))
			}
			b.ReportMetric(float64(quantile(once, 0.5).Microseconds())/1e3, "ms/8-choices")
			b.ReportMetric(float64(quantile(each, 0.5).Microseconds())/1e3, "ms/8-prompts")
			b.ReportMetric(float64(quantile(once, 0.5))/float64(quantile(each, 0.5)), "ratio")
		})
	}
}
