package foreign_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/tokenizer/hf"
)

// expected is what the library that a model is from computes with it.
type expected struct {
	Rows []struct {
		Text   string      `json:"text"`
		IDs    []int64     `json:"ids"`
		Logits [][]float64 `json:"logits"`
		Greedy []int64     `json:"greedy"`
	} `json:"rows"`
	Tolerance float64 `json:"tolerance"`
}

// TestOthers opens the models that scripts/foreign.py has other programs export.
func TestOthers(t *testing.T) {
	models := os.Getenv("ZOO_FOREIGN_MODELS")
	if models == "" {
		t.Skip("scripts/foreign.py makes the models, and runs this")
	}
	orttest.Require(t)
	folders, err := os.ReadDir(models)
	if err != nil || len(folders) == 0 {
		t.Fatalf("%s: %d models, %v", models, len(folders), err)
	}
	for _, f := range folders {
		t.Run(f.Name(), func(t *testing.T) { checkOther(t, filepath.Join(models, f.Name())) })
	}
}

func checkOther(t *testing.T, folder string) {
	var want expected
	data, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	path, ok := foreign.File(folder)
	if !ok {
		t.Fatal("no model")
	}
	s, err := runtime.Open(path, runtime.Options{Provider: "cpu", Threads: 1, AllowDomains: []string{"com.microsoft"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var rows [][]int64
	for _, r := range want.Rows {
		if ids, err := s.EncodePrompt(t.Context(), r.Text); err != nil || !slices.Equal(ids, r.IDs) {
			t.Errorf("tokens of %q are %v, %v, want %v", r.Text, ids, err, r.IDs)
		}
		rows = append(rows, r.IDs)
	}
	chunked, err := runtime.Open(path, runtime.Options{Provider: "cpu", Threads: 1, AllowDomains: []string{"com.microsoft"}, ChunkSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer chunked.Close()
	worst := 0.0
	measure := func(s *runtime.Session, which [][]int64, first int) {
		logits, err := s.Logits(t.Context(), which)
		if err != nil {
			t.Fatal(err)
		}
		for i := range which {
			got := tensor.Data[float32](logits[i])
			for k, row := range want.Rows[first+i].Logits {
				for j, w := range row {
					worst = max(worst, math.Abs(float64(got[k*len(row)+j])-w)/max(1, math.Abs(w)))
				}
			}
		}
	}
	measure(s, rows, 0)
	measure(chunked, rows, 0)
	for i := range rows {
		measure(s, rows[i:i+1], i)
		if _, err := chunked.Logits(t.Context(), [][]int64{rows[i], rows[i]}); err != nil {
			t.Error(err)
		}
	}
	if !(worst <= want.Tolerance) {
		t.Errorf("logits differ by %.2g, want at most %.2g", worst, want.Tolerance)
	}
	most := len(want.Rows[0].Greedy)
	answers, err := runtime.Tokens(s.Generate(t.Context(), rows, runtime.GenerateOptions{MaxNew: most, Stop: []int64{}}))
	if err != nil {
		t.Fatal(err)
	}
	same, of := 0, 0
	for i, a := range answers {
		for k, id := range want.Rows[i].Greedy {
			of++
			if a[k] != id {
				break // what follows is of another text
			}
			same++
		}
	}
	if same != of && want.Tolerance < 1e-3 {
		t.Errorf("%d of %d greedy tokens are the same", same, of)
	}
	t.Logf("others: %-28s %13.1e  %d of %d", filepath.Base(folder), worst, same, of)
}
