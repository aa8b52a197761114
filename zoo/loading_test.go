//go:build cgo && linux

package zoo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
	_ "github.com/nopezoo/zoo/runtime/ort"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/verify"
)

// openerKey is the variable that makes a process of this test open one model, and print how long that took and
// how much memory.
const openerKey = "ZOO_TEST_OPENER"

func TestMain(m *testing.M) {
	if how := os.Getenv(openerKey); how != "" {
		if err := openAndTell(how, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// cost is what opening a model took.
type cost struct {
	Seconds float64
	Peak    float64 // bytes
	Left    float64 // bytes, when the model is open
}

// openAndTell opens a model: a folder with a provider of zoo's, or a file with ONNX Runtime alone. Or it has a file built and
// verified in a provider, as zoo export does.
func openAndTell(how, path string) error {
	begin := time.Now()
	var err error
	if provider, ok := strings.CutPrefix(how, verified); ok {
		debug.SetGCPercent(20) // as the program does
		var m zoo.Model
		var loaded modelfile.Model
		if m, err = zoo.Find(path, zoo.Options{}); err == nil {
			loaded, err = m.Load()
		}
		if err == nil {
			_, err = verify.Build(context.Background(), loaded, verify.Options{Provider: provider, Name: "m.onnx"})
		}
	} else if how == "file" {
		ort.SetSharedLibraryPath(os.Getenv("ZOO_ORT_LIB"))
		err = errors.Join(err, ort.InitializeEnvironment())
		if err == nil {
			_, err = ort.NewDynamicAdvancedSession(path, []string{"input_ids"}, []string{"logits"}, nil)
		}
	} else {
		var s *runtime.Session
		if s, err = zoo.Open(path, zoo.Options{Runtime: runtime.Options{Provider: how}}); err == nil {
			defer s.Close()
		}
	}
	if err != nil {
		return err
	}
	c := cost{Seconds: time.Since(begin).Seconds()}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		var kib float64
		if _, err := fmt.Sscanf(line, "VmHWM: %f", &kib); err == nil {
			c.Peak = kib * 1024
		}
		if _, err := fmt.Sscanf(line, "VmRSS: %f", &kib); err == nil {
			c.Left = kib * 1024
		}
	}
	return json.NewEncoder(os.Stdout).Encode(c)
}

// BenchmarkLoading opens a random model of 0.5 GB, of SmolLM2-135M's sizes, each time in a new process: its folder with zoo,
// and its file with ONNX Runtime alone. Times are beside ONNX Runtime's, memory beside that of the weights in float32.
func BenchmarkLoading(b *testing.B) {
	b.Setenv("ZOO_ORT_LIB", orttest.Require(b))
	for _, dtype := range []tensor.DType{tensor.Float32, tensor.BFloat16} {
		b.Run(dtype.String(), func(b *testing.B) {
			folder := b.TempDir()
			size := llamaFolder(b, folder, dtype)
			m, err := zoo.Find(folder, zoo.Options{})
			if err != nil {
				b.Fatal(err)
			}
			file := filepath.Join(b.TempDir(), "model.onnx")
			data, _, err := m.ONNX(card.Portable)
			if err == nil {
				err = files.WriteBytesAtomic(file, data)
			}
			if err != nil {
				b.Fatal(err)
			}
			data = nil
			names, paths := []string{"file", "cpu", "go"}, []string{file, folder, folder}
			best := []cost{}
			for range names {
				best = append(best, cost{math.Inf(1), math.Inf(1), math.Inf(1)})
			}
			for range b.N {
				for i, how := range names {
					c := opened(b, how, paths[i])
					best[i] = cost{min(best[i].Seconds, c.Seconds), min(best[i].Peak, c.Peak), min(best[i].Left, c.Left)}
				}
			}
			for i, how := range names {
				b.ReportMetric(best[i].Seconds, how+"-s")
				b.ReportMetric(best[i].Seconds/best[0].Seconds, how+"-x")
				b.ReportMetric(best[i].Peak/size, how+"-peak")
				b.ReportMetric(best[i].Left/size, how+"-left")
			}
		})
	}
}

// verified begins what a process is told that has a file verified.
const verified = "verify-"

// BenchmarkVerifying has a file of the model of BenchmarkLoading built and verified, each time in a new process. The peak of memory
// is beside that of the weights in float32, which the model and its file have, too.
func BenchmarkVerifying(b *testing.B) {
	b.Setenv("ZOO_ORT_LIB", orttest.Require(b))
	folder := b.TempDir()
	size := llamaFolder(b, folder, tensor.Float32)
	for _, provider := range []string{"cpu", "go"} {
		b.Run(provider, func(b *testing.B) {
			best := cost{math.Inf(1), math.Inf(1), math.Inf(1)}
			for range b.N {
				c := opened(b, verified+provider, folder)
				best = cost{min(best.Seconds, c.Seconds), min(best.Peak, c.Peak), 0}
			}
			b.ReportMetric(best.Seconds, "s")
			b.ReportMetric(best.Peak/size, "peak")
		})
	}
}

// opened opens a model in a new process.
func opened(b *testing.B, how, path string) (c cost) {
	cmd := exec.Command(os.Args[0], path)
	cmd.Env, cmd.Stderr = append(os.Environ(), openerKey+"="+how), os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &c)
	}
	if err != nil {
		b.Fatalf("%s %s: %v", how, path, err)
	}
	return c
}

// llamaFolder makes a pretrained decoder with random weights, without a tokenizer, and returns their size in float32.
func llamaFolder(b *testing.B, dir string, dtype tensor.DType) float64 {
	const vocab, width, layers, heads, groups, inner = 49152, 576, 30, 9, 3, 1536
	config := fmt.Sprintf(`{"model_type": "llama", "vocab_size": %d, "hidden_size": %d, "num_hidden_layers": %d,
		"num_attention_heads": %d, "num_key_value_heads": %d, "intermediate_size": %d, "tie_word_embeddings": true,
		"rms_norm_eps": 1e-5, "rope_theta": 100000, "max_position_embeddings": 8192}`, vocab, width, layers, heads, groups, inner)
	weights, count, state := map[string]*tensor.Tensor{}, 0, uint32(1)
	add := func(name string, shape ...int) {
		t := tensor.New(tensor.Float32, shape...)
		for i := range tensor.Data[float32](t) { // xorshift
			state ^= state << 13
			state ^= state >> 17
			state ^= state << 5
			tensor.Data[float32](t)[i] = (float32(state)/math.MaxUint32 - 0.5) / 10
		}
		count += t.Len()
		if dtype != tensor.Float32 {
			t = t.As(dtype)
		}
		weights[name] = t
	}
	add("model.embed_tokens.weight", vocab, width)
	add("model.norm.weight", width)
	for i := range layers {
		in := fmt.Sprintf("model.layers.%d.", i)
		add(in+"input_layernorm.weight", width)
		add(in+"post_attention_layernorm.weight", width)
		add(in+"self_attn.q_proj.weight", width, width)
		add(in+"self_attn.k_proj.weight", width/heads*groups, width)
		add(in+"self_attn.v_proj.weight", width/heads*groups, width)
		add(in+"self_attn.o_proj.weight", width, width)
		add(in+"mlp.gate_proj.weight", inner, width)
		add(in+"mlp.up_proj.weight", inner, width)
		add(in+"mlp.down_proj.weight", width, inner)
	}
	f, err := os.Create(filepath.Join(dir, "model.safetensors"))
	if err == nil {
		err = errors.Join(tensor.WriteSafetensors(f, weights, nil), f.Close(),
			os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o644))
	}
	if err != nil {
		b.Fatal(err)
	}
	return 4 * float64(count)
}
