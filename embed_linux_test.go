package zoo_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// BenchmarkEmbed measures what a program costs that has a model in it, examples/embed, with each
// engine. Each turn starts it anew, for an answer of 200 tokens; what is printed are the least times, the most
// tokens per second and the least memory, which other work on the machine changes least. main-ms, open-ms
// and token-ms are from the start of the process on, to main, to the open model and to the first token,
// and cpu-ms is the processor time of all threads of a process that makes one token. cold are
// starts where the program, the model file and ONNX Runtime's library were not in the file
// cache. Sizes are of the program with its model of 0.7 MB; ONNX Runtime's library is not in them.
//
//	go test . -run '^$' -bench Embed -benchtime 11x
func BenchmarkEmbed(b *testing.B) {
	folder := b.TempDir()
	library := copied(b, orttest.Require(b), folder) // of which no other program holds pages in memory
	files := embedModels(b, folder)
	for _, engine := range []struct {
		name, cgo string
		tags      []string
	}{
		{"go", "0", nil},
		{"ort-cgo", "1", []string{"-tags=ort"}},
		{"ort-purego", "0", []string{"-tags=ort"}},
	} {
		b.Setenv("CGO_ENABLED", engine.cgo)
		program := buildEmbed(b, engine.tags...)
		stripped := buildEmbed(b, append(engine.tags, "-ldflags=-s -w")...)
		b.Run(engine.name+"/size", func(b *testing.B) {
			b.ReportMetric(megabytes(b, program), "MB")
			b.ReportMetric(megabytes(b, stripped), "stripped-MB")
			b.ReportMetric(float64(len(packagesOfEmbed(b, engine.tags...))), "packages")
			b.ReportMetric(0, "ns/op")
		})
		for _, file := range files {
			for _, cache := range []string{"warm", "cold"} {
				b.Run(fmt.Sprintf("%s/%s/%s", engine.name, file.name, cache), func(b *testing.B) {
					numbers := map[string][]float64{}
					start := func(args ...string) (out []byte, processor time.Duration) {
						cmd := exec.Command(stripped, append(args, "-model="+file.path, embedPrompt)...)
						cmd.Env = append(os.Environ(), "ZOO_ORT_LIB="+library)
						out, err := cmd.CombinedOutput()
						if err != nil {
							b.Fatalf("%v\n%s", err, out)
						}
						return out, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
					}
					run := func() {
						out, _ := start("-costs")
						for _, line := range []string{costMain, costOpen, costToken, costSpeed, costOpenMemory, costPeakMemory} {
							number, found := cost(out, line)
							if !found {
								b.Fatalf("no %q in:\n%s", line, out)
							}
							numbers[line] = append(numbers[line], number)
						}
						_, processor := start("-n=1")
						numbers["processor"] = append(numbers["processor"], processor.Seconds()*1e3)
					}
					run() // reads the files
					clear(numbers)
					for b.Loop() {
						if cache == "cold" {
							for _, path := range []string{stripped, file.path, library} {
								dropFromCache(b, path)
							}
						}
						run()
					}
					for line, unit := range map[string]string{costMain: "main-ms", costOpen: "open-ms", costToken: "token-ms",
						"processor": "cpu-ms"} {
						b.ReportMetric(slices.Min(numbers[line]), unit)
					}
					b.ReportMetric(slices.Max(numbers[costSpeed]), "tokens/s")
					b.ReportMetric(slices.Min(numbers[costOpenMemory])*1024/1e6, "open-MB")
					b.ReportMetric(slices.Min(numbers[costPeakMemory])*1024/1e6, "peak-MB")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}

type embedModel struct{ name, path string }

// embedModels are the one that the program has, the same in float32, and one of the preset small.
func embedModels(b *testing.B, folder string) []embedModel {
	float32s, err := catalogue.Embedded().ONNX("copy-rope", card.Portable)
	if err != nil {
		b.Fatal(err)
	}
	layers, err := configs.Load(configs.Sources{Preset: "small"})
	if err != nil {
		b.Fatal(err)
	}
	small, err := layers.Config("")
	if err != nil {
		b.Fatal(err)
	}
	files := []embedModel{{"embedded-float16", ""}, {"copy-rope", filepath.Join(folder, "copy-rope.onnx")},
		{"small", filepath.Join(folder, "small.onnx")}}
	if err := os.WriteFile(files[1].path, float32s, 0o600); err != nil {
		b.Fatal(err)
	}
	writeRandom(b, files[2].path, small.Model)
	return files
}

func megabytes(b *testing.B, path string) float64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return float64(info.Size()) / 1e6
}

// copied copies a file into a folder.
func copied(b *testing.B, path, folder string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	to := filepath.Join(folder, filepath.Base(path))
	if err := os.WriteFile(to, data, 0o700); err != nil {
		b.Fatal(err)
	}
	return to
}

// dropFromCache has the system forget the pages of a file that it has read; "" is no file.
func dropFromCache(b *testing.B, path string) {
	if path == "" {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil { // what is not written yet would stay
		b.Fatal(err)
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		b.Fatal(err)
	}
}
