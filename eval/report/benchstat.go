package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/nopezoo/zoo/eval"
)

// writeBenchstat writes rows in the format of Go's benchmarks, for benchstat (golang.org/x/perf): per repeat a line of Prefill
// (ns/op per batch) and one of Decode (ns/op per step of the batch, tokens/s). Rows that differ in their samples' seed alone
// are samples of one benchmark.
func writeBenchstat(w io.Writer, rows []eval.Row) error {
	var b strings.Builder
	b.WriteString("Unit tokens/s better=higher\nUnit peak-bytes better=lower\n")
	was := map[string]string{}
	for _, r := range rows {
		if r.NA {
			continue
		}
		for _, c := range [][2]string{{"cpu", r.Machine}, {"zoo", r.ToolVersion}, {"onnxruntime", r.ORTVersion}} {
			if c[1] != "" && was[c[0]] != c[1] {
				was[c[0]] = c[1]
				fmt.Fprintf(&b, "%s: %s\n", c[0], strings.Join(strings.Fields(c[1]), " "))
			}
		}
		benchstatLines(&b, r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func benchstatLines(b *strings.Builder, r eval.Row) {
	name := benchmarkName(r)
	batches := r.TimedBatches / max(r.Repeats, 1)
	for i, prefill := range r.RepeatPrefillMS {
		fmt.Fprintf(b, "BenchmarkPrefill/%s \t%8d\t%15.0f ns/op", name, max(batches, 1), prefill*1e6)
		if r.Measure == eval.MeasureSpeed {
			fmt.Fprintf(b, "\t%12.1f tokens/s", 1e3*float64(r.TimedBatch*r.Length)/prefill)
		}
		b.WriteString("\n")
		if i < len(r.RepeatDecodeMS) && r.RepeatDecodeMS[i] > 0 {
			steps := max(r.DecodeSteps/max(r.Repeats, 1), 1)
			fmt.Fprintf(b, "BenchmarkDecode/%s \t%8d\t%15.0f ns/op\t%12.1f tokens/s", name, steps,
				r.RepeatDecodeMS[i]*1e6, repeatRate(r, i))
			if r.PeakMemory > 0 {
				fmt.Fprintf(b, "\t%12d peak-bytes", r.PeakMemory)
			}
			b.WriteString("\n")
		}
	}
}

// repeatRate is the tokens per second of one repeat: of its steps alone where every row takes all of them.
func repeatRate(r eval.Row, i int) float64 {
	if r.Measure == eval.MeasureSpeed {
		return 1e3 * float64(r.TimedBatch) / r.RepeatDecodeMS[i]
	}
	return r.RepeatRates[i]
}

// benchmarkName has parts that benchstat tells apart: "model=copy-rope/pe=rope/…/len=20-2". A dash at the end means threads to
// benchstat.
func benchmarkName(r eval.Row) string {
	var parts []string
	for _, p := range [][2]string{
		{"model", r.Model}, {"pe", r.Encoding}, {"task", r.Task}, {"profile", r.Profile}, {"dtype", r.DType},
		{"provider", r.Provider},
		{"batch", strconv.Itoa(r.Batch)}, {"len", r.Span().Label()},
	} {
		if p[1] != "" {
			parts = append(parts, p[0]+"="+benchmarkWord(p[1]))
		}
	}
	name := strings.Join(parts, "/")
	if r.Threads > 0 { // benchstat takes it for GOMAXPROCS
		name += fmt.Sprintf("-%d", r.Threads)
	}
	return name
}

// benchmarkWord replaces signs that end a name or one of its parts.
func benchmarkWord(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || c == '/' || !unicode.IsPrint(c) {
			return '_'
		}
		return c
	}, s)
}
