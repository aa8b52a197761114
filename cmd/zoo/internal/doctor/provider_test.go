package doctor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/cmd/zoo/internal/doctor"
	"github.com/nopezoo/zoo/cmd/zoo/internal/find"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// ropeFile is a file of the catalogue.
func ropeFile(t *testing.T) []byte {
	t.Helper()
	f, err := find.New(zoo.Options{Runs: t.TempDir(), Catalogue: catalogue.Embedded()})
	if err != nil {
		t.Fatal(err)
	}
	models, err := f.These([]string{"copy-rope"})
	if err != nil {
		t.Fatal(err)
	}
	file, _, err := models[0].ONNX("portable")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestExamineProviderCPU(t *testing.T) {
	orttest.Require(t)
	r, err := doctor.ExamineProvider(t.Context(), "cpu", ropeFile(t))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range r.Steps {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"library", "provider", "tiny run", "model"}) {
		t.Errorf("steps %v", names)
	}
	if len(r.Nodes) < 50 || slices.ContainsFunc(r.Nodes, func(n doctor.Node) bool { return !n.OnCPU || n.Why != "" }) {
		t.Errorf("%d nodes: %+v", len(r.Nodes), r.Nodes)
	}
}

// On a device only what computes with shapes and angles is left to the CPU.
func TestExamineProviderDevice(t *testing.T) {
	orttest.RequireWebGPU(t)
	r, err := doctor.ExamineProvider(t.Context(), "webgpu", ropeFile(t))
	if err != nil {
		t.Fatal(err)
	}
	products, angles := 0, 0
	for _, n := range r.Nodes {
		if !n.OnCPU && (strings.Contains(n.Operator, "MatMul") || n.Operator == "Gemm") {
			products++
		}
		if n.Operator == "Sin" || n.Operator == "Cos" {
			if angles++; !n.OnCPU {
				t.Errorf("%s ran on the device", n.Name)
			}
		}
		if n.OnCPU && strings.Contains(n.Why, "cannot") {
			t.Errorf("%s: %s", n.Name, n.Why)
		}
	}
	if products == 0 || angles != 2 {
		t.Errorf("%d products on the device, %d sines and cosines", products, angles)
	}
}

// A provider stops at the first thing that is missing.
func TestExamineProviderMissing(t *testing.T) {
	orttest.Require(t)
	t.Setenv("VK_ICD_FILENAMES", "/nowhere.json")
	t.Setenv("VK_DRIVER_FILES", "/nowhere.json")
	r, err := doctor.ExamineProvider(t.Context(), "webgpu", nil)
	if err == nil {
		t.Skip("a device is found all the same")
	}
	last := r.Steps[len(r.Steps)-1]
	if last.Name != "device" || last.Problem == "" || len(r.Steps) != 2 {
		t.Errorf("steps %+v", r.Steps)
	}
}
