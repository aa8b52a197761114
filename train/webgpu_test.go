package train_test

import (
	"testing"

	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// onWebGPU are the options of a run on a device.
func onWebGPU(t *testing.T) train.Options {
	t.Helper()
	return train.Options{Provider: "webgpu", Library: orttest.RequireWebGPU(t)}
}

// Some steps on a device, of every encoding: the losses are the CPU's up to rounding,
// and so are the weights.
func TestWebGPUTrains(t *testing.T) {
	device := onWebGPU(t)
	encodings := []string{"rope", "t5", "learned"}
	if !testing.Short() {
		encodings = nil
		for _, row := range pe.Table() {
			encodings = append(encodings, row.Name)
		}
	}
	for _, encoding := range encodings {
		t.Run(encoding, func(t *testing.T) {
			cfg := micro(encoding, 3)
			cfg.Train.MicroTokens = 24 // several runs make an update
			here, there := t.TempDir(), t.TempDir()
			want, got := losses(t, start(t, here, cfg)), losses(t, startWith(t, there, cfg, device))
			agreeLosses(t, got, want, 1e-4)
			agreeWeights(t, final(t, there), final(t, here), 1e-3)
		})
	}
}

// A run that began on the CPU goes on on a device, and ends on the CPU. Its metrics say which
// steps were made where.
func TestWebGPUResumes(t *testing.T) {
	device := onWebGPU(t)
	cfg := micro("nope", 9)
	whole, turns := t.TempDir(), t.TempDir()
	losses(t, start(t, whole, cfg))
	interruptAt(t, start(t, turns, cfg), 3)
	interruptAt(t, resumeWith(t, turns, device), 6)
	losses(t, resumeWith(t, turns, train.Options{}))
	agreeWeights(t, final(t, turns), final(t, whole), 1e-3)
	where := ""
	for _, s := range notedSteps(t, turns) {
		where += map[string]string{"": "c", "webgpu": "w"}[s.Provider]
	}
	if where != "cccwwwccc" {
		t.Errorf("steps were made by %s, want cccwwwccc", where)
	}
	newest, _, err := runfile.Latest(turns)
	if err != nil {
		t.Fatal(err)
	}
	described, err := newest.Card("")
	if err != nil || described.TrainProvider != "cpu+webgpu" {
		t.Errorf("the card says that %q trained, error %v", described.TrainProvider, err)
	}
	if names, err := ort.Devices("webgpu"); err == nil && notedSteps(t, turns)[3].Device != names[0] {
		t.Errorf("the first step on the device names %q, want %q", notedSteps(t, turns)[3].Device, names[0])
	}
}
