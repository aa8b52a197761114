package zoo_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/nopezoo/zoo/"

// layers are the packages from the lowest on: each imports packages of lower layers only.
var layers = []string{
	"internal/lists internal/wrap",
	"card tokenizer tokenizer/chat/internal/jinja tokenizer/hf/internal/oniguruma runtime/native/internal/simd internal/ort/library/librarytest " +
		"internal/chromiumtest internal/clients internal/files internal/human internal/jsontext internal/machine internal/onnxpb internal/suggest " +
		"experiment/sweep/internal/child",
	"graph/tensor tokenizer/chat tokenizer/hf internal/ort/library",
	"graph modelfile/hf/internal/gguf export/safety internal/foreigntest",
	"graph/interp models/pe modelfile/precision export/foreign runtime/engine",
	"internal/graphtest models export",
	"models/theory runtime runtime/native internal/ort",
	"train/journal serve runtime/ort internal/placement",
	"internal/orttest runtime/ort/install internal/rowlog eval/task",
	"internal/tasktest eval/corpora eval modelfile train/runfile",
	"eval/summary internal/rowstest modelfile/hf zoo/catalogue",
	"train",
	"zoo",
	"eval/report configs zoo/verify",
	"experiment/analysis experiment/bench",
	"experiment/launch",
	"experiment/sweep",
	"experiment/study",
	"cmd/zoo/internal/arguments cmd/zoo/internal/find cmd/zoo/internal/terminal cmd/zoo/internal/doctor cmd/zoo/internal/upkeep examples/browser/attention",
	"cmd/zoo/internal/tables examples/browser examples/browser/engine",
	"cmd/zoo",
}

// only says which packages alone may import what begins so: each dependency earns its place somewhere.
var only = map[string]string{
	"net/http":                        "internal/clients runtime/ort/install serve cmd/zoo examples/browser",
	"github.com/owulveryck/onnx-go":   "zoo/verify",
	"gorgonia.org/":                   "zoo/verify",
	"github.com/yalue/onnxruntime_go": "internal/ort",
	"github.com/ebitengine/purego":    "internal/ort",
	"github.com/spf13/viper":          "configs experiment/sweep",
	"github.com/spf13/cobra":          "cmd/zoo cmd/zoo/internal/arguments",
	"github.com/spf13/pflag":          "cmd/zoo cmd/zoo/internal/arguments",
	"google.golang.org/protobuf/":     "internal/onnxpb internal/ort train",
	"golang.org/x/text/":              "tokenizer/hf eval/report",
	"github.com/rivo/uniseg":          "tokenizer/hf internal/human cmd/zoo/internal/terminal",
	"golang.org/x/term":               "cmd/zoo/internal/terminal",
	"golang.org/x/sys/cpu":            "runtime/native/internal/simd",
	"github.com/klauspost/cpuid/":     "internal/machine",
	"github.com/dustin/go-humanize":   "internal/human",
	"gonum.org/v1/gonum/":             "graph/interp eval eval/summary experiment/analysis zoo/verify",
	"gonum.org/v1/plot":               "eval/report",
	"codeberg.org/go-pdf/fpdf":        "eval/report",
	"github.com/google/go-cmp/":       "internal/graphtest",
	module + "models":                 "models/theory modelfile modelfile/hf train train/runfile zoo zoo/catalogue zoo/verify configs experiment/analysis experiment/sweep experiment/study cmd/zoo cmd/zoo/internal/find cmd/zoo/internal/tables",
}

func TestImports(t *testing.T) {
	list, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	layer := map[string]int{}
	for i, names := range layers {
		for name := range strings.FieldsSeq(names) {
			layer[name] = i
			if _, err := os.Stat(name); err != nil {
				t.Errorf("the layers name a package that is not there: %v", err)
			}
		}
	}
	for d := json.NewDecoder(bytes.NewReader(list)); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		if _, known := layer[name]; !known && name != strings.TrimSuffix(module, "/") {
			t.Errorf("the package %s is in no layer", name)
		}
		for _, imported := range p.Imports {
			ours, isOurs := strings.CutPrefix(imported, module)
			if isOurs && layer[ours] >= layer[name] {
				t.Errorf("%s may not import %s, which is not in a lower layer", name, ours)
			}
			known := isOurs || !strings.Contains(strings.Split(imported, "/")[0], ".")
			for what, packages := range only {
				if imported == what || strings.HasPrefix(imported, strings.TrimSuffix(what, "/")+"/") {
					known = true
					if !slices.Contains(strings.Fields(packages), name) && imported != module+"models/pe" {
						t.Errorf("%s may not import %s, which is for %s alone", name, imported, packages)
					}
				}
			}
			if !known {
				t.Errorf("%s imports %s: say in the table which packages may", name, imported)
			}
		}
	}
}
