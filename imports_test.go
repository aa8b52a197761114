package zoo_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/nopezoo/zoo/"

// imports says which packages of ours and of others each package may import,
// beside the standard library. A new arrow is an edit here, for review. "*"
// allows all of ours.
var imports = map[string][]string{
	"graph/tensor":    {"filelock"},
	"graph":           {"graph/tensor"},
	"graph/interp":    {"graph", "graph/tensor", "gonum.org/v1/gonum"},
	"graph/graphtest": {"graph", "graph/interp", "graph/tensor", "github.com/google/go-cmp"},
	"tokenizer":       nil,
	// The standard library has neither normal forms nor grapheme clusters of Unicode.
	"tokenizer/hf":                    {"internal/jsontext", "tokenizer", "tokenizer/hf/internal/oniguruma", "golang.org/x/text/unicode/norm", "github.com/rivo/uniseg"},
	"tokenizer/hf/internal/oniguruma": nil,
	"card":                            nil,
	"configs":                         {"train", "models", "eval/task", "runtime/ort", "graph/tensor", "github.com/spf13/viper"},
	"filelock":                        nil,
	"machine":                         {"github.com/klauspost/cpuid"},
	"internal/chromium":               nil,
	"internal/clients":                nil,
	"corpora":                         {"eval/task", "filelock", "graph/tensor", "internal/clients"},
	"internal/jsontext":               nil,
	"internal/human":                  {"github.com/dustin/go-humanize"},
	"internal/arguments":              {"eval/task", "github.com/spf13/cobra", "github.com/spf13/pflag"},
	"internal/tables":                 {"configs", "doctor", "eval/task", "export", "export/foreign", "internal/human", "models", "models/pe", "models/theory", "runtime/ort", "runtime/ort/install", "sweep", "train", "zoo", "zoo/find"},
	"internal/terminal":               {"internal/human", "graph/tensor", "github.com/schollz/progressbar", "golang.org/x/term"},
	"models/pe":                       {"graph", "graph/tensor"},
	"models":                          {"models/pe", "graph", "graph/tensor", "card"},
	"models/theory":                   {"models", "models/pe", "graph/tensor"},
	"export":                          {"export/internal/onnxpb", "export/safety", "graph", "graph/tensor", "card", "google.golang.org/protobuf"},
	"export/verify": {"modelfile", "eval", // the accuracy of files in another precision is measured where all accuracy is
		"export/internal/onnxpb", "export/safety", "runtime", "runtime/native", "runtime/ort", "eval/task", "tokenizer", "card", "graph", "graph/tensor", "google.golang.org/protobuf", "github.com/owulveryck/onnx-go", "gonum.org/v1/gonum/graph", "gorgonia.org/tensor"},

	"export/internal/onnxpb":     {"google.golang.org/protobuf"},
	"export/foreign":             {"export/safety", "tokenizer", "card"},
	"export/foreign/foreigntest": {"export/internal/onnxpb", "graph/tensor", "google.golang.org/protobuf"},
	"export/safety":              {"export/internal/onnxpb", "graph/tensor", "card", "google.golang.org/protobuf"},

	"sweep":                {"configs", "eval/task", "filelock", "graph/tensor", "internal/human", "machine", "sweep/internal/child", "sweep/slurm", "train", "train/journal", "train/launch", "github.com/spf13/viper"},
	"studies":              {"configs", "eval", "eval/bench", "eval/task", "filelock", "graph/tensor", "internal/human", "models", "sweep", "train", "zoo/find"},
	"sweep/slurm":          {"graph/tensor", "internal/human", "sweep/internal/child"},
	"sweep/internal/child": nil,

	"runtime/ort":         {"runtime", "runtime/ort/internal/library", "export/safety", "graph/tensor", "google.golang.org/protobuf/encoding/protowire", "github.com/yalue/onnxruntime_go", "github.com/ebitengine/purego"},
	"runtime/ort/orttest": {"runtime/ort"},
	"runtime/ort/install": {"internal/clients", "runtime/ort", "runtime/ort/internal/library", "filelock", "graph/tensor"},

	"runtime/ort/internal/library":             {"graph/tensor"},
	"runtime/ort/internal/library/librarytest": nil,

	"runtime/native":               {"runtime", "runtime/native/internal/simd", "export", "graph", "graph/interp", "graph/tensor"},
	"runtime/native/internal/simd": {"golang.org/x/sys/cpu"}, // which kernels the processor has instructions for

	"runtime":            {"export/foreign", "export/safety", "graph/tensor", "tokenizer", "card"},
	"serve":              {"internal/jsontext", "runtime", "card"},
	"doctor":             {"configs", "export", "export/safety", "graph", "graph/tensor", "internal/human", "machine", "runtime", "runtime/ort", "runtime/ort/install"},
	"eval/task/tasktest": {"eval/task"},
	"eval/task":          {"graph/tensor", "internal/jsontext", "tokenizer"}, // files are replaced whole
	"eval":               {"eval/task", "runtime", "tokenizer", "card", "gonum.org/v1/gonum/stat"},
	"eval/rowlog":        {"filelock", "graph/tensor"},
	"eval/bench":         {"eval", "eval/rowlog", "eval/task", "runtime", "export", "export/foreign", "export/safety", "graph", "graph/tensor", "card", "internal/human", "machine"},
	"eval/analysis": {"eval", "eval/rowlog", "eval/task", "modelfile", "models", "models/theory", "graph", "graph/interp", "graph/tensor", "card",
		"gonum.org/v1/gonum/floats", "gonum.org/v1/gonum/mat"}, // ridge regression: a factorisation of a symmetric matrix
	"eval/study":    {"eval", "eval/task", "card", "internal/human", "gonum.org/v1/gonum/stat"},
	"eval/report":   {"eval", "eval/study", "eval/task", "graph/tensor", "internal/human", "gonum.org/v1/plot"}, // figures for papers without a browser: axes, fonts, SVG and PNG are a library of their own
	"train":         {"filelock", "models", "models/pe", "graph", "graph/tensor", "export", "card", "tokenizer", "eval/task", "runtime", "runtime/ort", "train/journal", "internal/human"},
	"train/journal": {"graph/tensor", "google.golang.org/protobuf/encoding/protowire"},
	"modelfile":     {"models", "models/pe", "modelfile/precision", "export", "graph", "graph/tensor", "card", "eval/task", "tokenizer"},
	"zoo":           {"modelfile", "graph/tensor", "card"},

	"modelfile/precision": {"graph", "graph/tensor", "card"},

	"train/launch":   {"train", "train/validate", "configs", "interop", "machine", "runtime"},
	"zoo/upkeep":     {"zoo", "zoo/find", "configs", "modelfile", "runtime", "runtime/ort", "eval", "eval/task", "card"},
	"train/validate": {"train", "train/journal", "modelfile", "runtime", "runtime/ort", "eval", "eval/task", "graph/tensor", "card"},
	"zoo/find":       {"zoo", "modelfile", "modelfile/precision", "models", "models/pe", "interop", "train", "eval", "eval/analysis", "eval/task", "export/foreign", "export/safety", "card"},
	// interop names parameters, encodings and tasks, and a tokenizer by its rules.
	"interop":                    {"filelock", "models", "modelfile", "models/pe", "graph/tensor", "card", "tokenizer", "eval/task"},
	"examples/browser":           {"card", "eval/task", "graph/tensor", "internal/human", "runtime/ort", "runtime/ort/install", "zoo"},
	"examples/browser/attention": {"card", "export/safety", "graph/tensor", "runtime"},
	"examples/browser/engine":    {"examples/browser/attention", "graph/tensor", "runtime", "runtime/native", "tokenizer"},

	"cmd/zoo": {"*", "github.com/spf13/cobra", "github.com/spf13/pflag"},
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); d.IsDir() && path != "." && err == nil {
			return filepath.SkipDir // another module
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		allowed, known := imports[folder]
		if !known {
			t.Errorf("%s: the package %s has no row in the table of imports", path, folder)
		}
		seen[folder] = true
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !mayImport(allowed, name) {
				t.Errorf("%s: %s may not import %s", path, folder, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range slices.Sorted(maps.Keys(imports)) {
		if !seen[folder] {
			t.Errorf("the table of imports has a row for %s, which holds no Go files", folder)
		}
	}
}

func mayImport(allowed []string, name string) bool {
	if ours, ok := strings.CutPrefix(name, module); ok {
		return slices.Contains(allowed, ours) || slices.Contains(allowed, "*")
	}
	first, _, _ := strings.Cut(name, "/")
	if !strings.Contains(first, ".") {
		return true // the standard library
	}
	return slices.ContainsFunc(allowed, func(a string) bool { return name == a || strings.HasPrefix(name, a+"/") })
}

func TestMayImport(t *testing.T) {
	for name, want := range map[string]bool{
		"fmt": true, "net/http": true, module + "graph": true, module + "graph/interp": false,
		"example.org/a": true, "example.org/a/v2": true, "example.org/ab": false,
	} {
		if got := mayImport([]string{"graph", "example.org/a"}, name); got != want {
			t.Errorf("mayImport(%s) = %v, want %v", name, got, want)
		}
	}
}
