//go:build !static_build

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/examples/browser/attention"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/chromiumtest"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
	"github.com/nopezoo/zoo/runtime/ort/install"
)

const patience = time.Minute // for a page on a busy machine

// open builds the page with one model, serves it and loads it into a browser. It takes
// onnxruntime-web only where it is installed.
func open(t testing.TB, name string) (b *chromiumtest.Browser, s site, made contents) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skipf("needs the go command: %v", err)
	}
	b = chromiumtest.Start(t)
	s = site{folder: t.TempDir(), models: []string{name}, offline: true}
	made, err := s.build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler(s.folder))
	t.Cleanup(server.Close)
	b.Size(1200, 900)
	b.Load(server.URL + "/")
	b.WaitFor(`!document.getElementById("run").disabled`, patience, shown)
	t.Cleanup(func() {
		for _, e := range b.Errors {
			t.Errorf("the console says: %s", e)
		}
		for _, r := range b.Requests {
			if !strings.HasPrefix(r, server.URL) && r != "about:blank" && r != "data:," {
				t.Errorf("the page asked for %s", r)
			}
		}
	})
	return b, s, made
}

// shown is what the page tells of how it is.
const shown = `document.getElementById("status").textContent + " " + document.getElementById("error").textContent`

// ask types a prompt and runs it.
func ask(b *chromiumtest.Browser, prompt string) {
	b.Eval(`{const p = document.getElementById("prompt"); p.focus(); p.select()}`)
	b.Type(prompt)
	b.Eval(`document.getElementById("run").click()`)
	b.WaitFor(`!document.getElementById("run").disabled`, patience, shown)
}

// TestBrowser: the engine in the page gives the tokens and the attention weights that it
// gives here, token by token as they are made; onnxruntime-web, where it is installed, gives
// the same tokens; and what is wrong with a prompt is said.
func TestBrowser(t *testing.T) {
	const prompt = "Copy: 7 tree B [SEP] "
	b, s, made := open(t, "copy-rope")
	file, err := os.ReadFile(filepath.Join(s.folder, filepath.FromSlash(made.Models[0].Path)))
	if err != nil {
		t.Fatal(err)
	}
	tokens, layers := native(t, file, prompt)
	b.Eval(`{window.seen = 0; new MutationObserver(() => window.seen++).observe(document.querySelector("#go .tokens"), {childList: true})}`)
	ask(b, prompt)
	var got result
	fetch(t, b, &got)
	if diff := cmp.Diff(tokens, got.Go); diff != "" {
		t.Errorf("tokens of the page's engine (-here +there):\n%s", diff)
	}
	if seen := b.Eval("window.seen").(float64); seen < 3 {
		t.Errorf("the answer came in %v parts", seen)
	}
	if text := b.Eval(`[...document.querySelectorAll("#go .chip:not(.of-prompt)")].map((c) => c.textContent).join(" ")`); text != "7 tree B </s>" {
		t.Errorf("the page shows %q", text)
	}
	checkWeights(t, layers, got.Layers, len(got.Prompt)+len(got.Go))
	if made.ORT == nil {
		t.Logf("not compared: %v", made.noORT)
		if text := b.Eval(`document.querySelector("#ort .tokens").textContent`); text != "onnxruntime-web is not in this page." {
			t.Errorf("of onnxruntime-web the page says %q", text)
		}
	} else {
		if diff := cmp.Diff(tokens, got.ORT); diff != "" {
			t.Errorf("tokens of onnxruntime-web (-here +there):\n%s", diff)
		}
		if got.Difference > 1e-4 {
			t.Errorf("its attention weights differ by %v", got.Difference)
		}
		if text := b.Eval(`document.getElementById("agreement").textContent`); text != "Both engines chose the same 4 tokens." {
			t.Errorf("of the answers the page says %q", text)
		}
	}
	b.Screenshot("browser")
	testMap(t, b, layers)
	testMeasure(t, b, made)

	for wrong, want := range map[string]string{
		"Copy: tre B [SEP] ": `unknown piece " tre" at byte 5`,
		" ":                  "The prompt is empty.",
		"Copy:" + strings.Repeat(" tree", 1000) + " [SEP] ": "more than the 1024",
	} {
		ask(b, wrong)
		if text := b.Eval(`document.getElementById("error").checkVisibility() && document.getElementById("error").textContent`); !strings.Contains(fmt.Sprint(text), want) {
			t.Errorf("of the prompt %.40q the page says %v, want %q", wrong, text, want)
		}
	}
	b.Screenshot("browser-error")
	testStop(t, b)
	ask(b, made.Models[0].Examples[1].Prompt)
	b.Scheme("dark")
	b.Screenshot("browser-dark")
	for _, width := range []int{1200, 700, 400, 320} {
		b.Size(width, 800)
		if over := b.Eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); over != 0.0 {
			t.Errorf("at width %d the page is %v pixels too wide", width, over)
		}
	}
	b.Size(400, 800)
	b.Screenshot("browser-width400")
}

// native returns the answer of the engine here, and the attention weights of prompt and answer.
func native(t *testing.T, file []byte, prompt string) (tokens []int64, layers []*tensor.Tensor) {
	t.Helper()
	session, err := runtime.OpenBytes(file, runtime.Options{Provider: "go"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	ids, err := session.EncodePrompt(t.Context(), prompt)
	if err != nil {
		t.Fatal(err)
	}
	all, err := runtime.Tokens(session.Generate(t.Context(), [][]int64{ids}, runtime.GenerateOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	weights, err := attention.Open(file, "go")
	if err != nil {
		t.Fatal(err)
	}
	defer weights.Close()
	if layers, err = weights.Weights(t.Context(), append(ids, all[0]...)); err != nil {
		t.Fatal(err)
	}
	return all[0], layers
}

// result is what the page has found.
type result struct {
	Prompt, Go, ORT []int64
	Layers          []layer
	Difference      float64
}

type layer struct {
	Heads   int
	Weights []float64
}

func fetch(t *testing.T, b *chromiumtest.Browser, into *result) {
	t.Helper()
	text := b.Eval(`JSON.stringify({prompt: zoo.prompt, go: zoo.answers.go?.tokens, ort: zoo.answers.ort?.tokens,
		layers: zoo.layers?.map((l) => ({heads: l.heads, weights: [...l.weights]})), difference: zoo.difference})`)
	if err := json.Unmarshal([]byte(text.(string)), into); err != nil {
		t.Fatal(err)
	}
}

// checkWeights: the rows of n tokens add up to 1, see nothing that comes later, and are those here.
func checkWeights(t *testing.T, want []*tensor.Tensor, got []layer, n int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d layers, want %d", len(got), len(want))
	}
	for i, l := range got {
		here := tensor.Data[float32](want[i])
		if l.Heads != want[i].Shape()[0] || len(l.Weights) != len(here) || len(here) != l.Heads*n*n {
			t.Fatalf("layer %d: %d heads and %d weights, want %v", i, l.Heads, len(l.Weights), want[i])
		}
		for at := range here {
			if diff := math.Abs(float64(here[at]) - l.Weights[at]); diff > 1e-5 {
				t.Fatalf("layer %d: weight %d is %v, here %v", i, at, l.Weights[at], here[at])
			}
		}
		for row := range l.Heads * n {
			sum := 0.0
			for column, w := range l.Weights[row*n:][:n] {
				if sum += w; column > row%n && w != 0 {
					t.Fatalf("layer %d: token %d sees token %d", i, row%n, column)
				}
			}
			if math.Abs(sum-1) > 1e-5 {
				t.Fatalf("layer %d: row %d adds up to %v", i, row, sum)
			}
		}
	}
}

// testMap chooses a head and points at a cell with keys, from the last one on.
func testMap(t *testing.T, b *chromiumtest.Browser, layers []*tensor.Tensor) {
	heads, n := layers[0].Shape()[0], layers[0].Shape()[1]
	b.Eval(fmt.Sprintf(`{document.querySelectorAll("#heads button")[%d].click(); document.getElementById("map").focus()}`, heads+2))
	if title := b.Eval(`document.getElementById("head-title").textContent`); title != "Layer 2, head 3" {
		t.Errorf("the map is called %q", title)
	}
	b.Press("ArrowLeft", 37)
	b.Press("ArrowUp", 38)
	weight := tensor.Data[float32](layers[1])[(2*n+n-2)*n+n-2]
	want := fmt.Sprintf("“B”, token 3 of the answer, takes %.3f from “B”, token 3 of the answer.", weight)
	if text := b.Eval(`document.getElementById("cell").textContent`); text != want {
		t.Errorf("the cell is %q, want %q", text, want)
	}
}

// testStop stops an answer that would be long.
func testStop(t *testing.T, b *chromiumtest.Browser) {
	b.Eval(`{document.getElementById("most").value = 512; document.getElementById("prompt").value = "Copy:" + " tree".repeat(60) + " [SEP] "}`)
	b.Eval(`document.getElementById("run").click()`)
	b.WaitFor(`document.querySelectorAll("#go .chip:not(.of-prompt)").length > 2`, patience, shown)
	b.Eval(`document.getElementById("stop").click()`)
	b.WaitFor(`!document.getElementById("run").disabled`, patience, shown)
	if text := b.Eval(`document.getElementById("status").textContent`); text != "Stopped." {
		t.Errorf("after Stop the page says %v", text)
	}
	if n := b.Eval(`document.querySelectorAll("#go .chip:not(.of-prompt)").length`).(float64); n > 200 {
		t.Errorf("after Stop %v tokens were made", n)
	}
	b.Eval(`document.getElementById("most").value = 64`)
}

// testMeasure has the page compare the engines, by a few tokens.
func testMeasure(t *testing.T, b *chromiumtest.Browser, made contents) {
	b.Eval(`zoo.measured = {tokens: 8, rounds: 2}`)
	measure(b)
	rows, want := b.Eval(`[...document.querySelectorAll("#speeds tbody tr")].map((r) => r.cells[0].textContent + ": " + (+r.cells[1].textContent > 0)).join()`),
		"zoo, "+goruntime.Version()+": true"
	if made.ORT != nil {
		want += ",onnxruntime-web " + ort.Version + ": true"
	}
	if rows != want {
		t.Errorf("speeds %v, want %s", rows, want)
	}
}

func measure(b *chromiumtest.Browser) {
	b.Eval(`document.getElementById("measure").click()`)
	b.WaitFor(`!document.getElementById("measure").disabled`, patience, shown)
}

// BenchmarkPage has the page compare the engines on copy-rope: tokens per second after a prompt
// of 20 words, the time until the program has started and that to open the model, and the
// sizes of the programs. It fetches onnxruntime-web where it is not there.
//
//	go test ./examples/browser -run '^$' -bench Page -benchtime 1x
func BenchmarkPage(b *testing.B) {
	if _, err := install.Web(b.Context(), false); err != nil {
		b.Fatal(err)
	}
	page, s, made := open(b, "copy-rope")
	page.Eval(`document.getElementById("prompt").value = zoo.model.examples[1].prompt`)
	for b.Loop() {
		measure(page)
	}
	b.ReportMetric(0, "ns/op") // it would tell how long the comparison takes
	for engine, files := range map[string][]string{"go": {made.Engine.Path}, "ort": {made.ORT.Module, made.ORT.Binary}} {
		for what, unit := range map[string]string{"rate": "tokens/s", "first": "prompt-ms", "start": "start-ms", "open": "open-ms"} {
			b.ReportMetric(page.Eval(fmt.Sprintf("zoo.speeds.%s.%s", engine, what)).(float64), engine+"-"+unit)
		}
		all, packed, err := sizes(s.folder, files...)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(all)/(1<<20), engine+"-MiB")
		b.ReportMetric(float64(packed)/(1<<20), engine+"-gzip-MiB")
	}
}

// TestRunRefuses: what cannot be done is said before anything is built.
func TestRunRefuses(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--models", "copy-roep", "-o", t.TempDir()}, `model "copy-roep": not in the catalogue; known: `},
		{[]string{"--addr", "nowhere", "--offline"}, "choose another address with --addr"},
		{[]string{"--wasm"}, "see --help"},
		{[]string{"site"}, `unexpected argument "site"`},
	} {
		var out strings.Builder
		if err := run(context.Background(), tc.args, &out); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: error %v, want %q", tc.args, err, tc.want)
		}
	}
}
