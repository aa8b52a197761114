package ort

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/nopezoo/zoo/internal/ort/library"
)

// cudaFailure is how ONNX Runtime quotes a failure of CUDA, among names of its own functions and files.
var cudaFailure = regexp.MustCompile(`(?s)((?:CUDA|CUDNN|CUBLAS|CUFFT) failure \d+: .*?)(?: ; GPU=| ; hostname=|$)`)

// cudaRemedies are what can be done about failures of CUDA and its libraries, by what their texts have.
var cudaRemedies = []struct{ says, remedy string }{
	{"CUDA failure 2:", cudaMemory},
	{"out of memory", cudaMemory},
	{"Failed to allocate memory", cudaMemory},
	{"CUDA failure 35:", "the driver is older than the library: install a newer NVIDIA driver"},
	{"CUDA failure 46:", "another process holds the device for itself: nvidia-smi shows which"},
	{"CUDA failure 100:", "no card is visible: see nvidia-smi and CUDA_VISIBLE_DEVICES; in a container, start it with the cards " +
		"(docker run --gpus all, apptainer exec --nv)"},
	{"CUDA failure 101:", "there is no device of this number: nvidia-smi lists them, CUDA_VISIBLE_DEVICES may hide some"},
	{"CUDA failure 209:", cudaArchitecture},
	{"no kernel image is available", cudaArchitecture},
	{"CUDA failure 803:", "driver and kernel module are of different versions, as after an update: restart the machine"},
	{"CUDNN failure", "cuDNN does not fit: fetch libraries that do: " + fetchCUDA},
	{"CUBLAS failure", "cuBLAS does not fit: fetch libraries that do: " + fetchCUDA},
}

const (
	cudaMemory = "the device has too little free memory: nvidia-smi shows who has it; train with less at a time (train.micro_tokens), " +
		"or measure with a smaller batch"
	cudaArchitecture = "the library has no code for this card, which is too old or too new for it: use provider webgpu"
)

// cudaError makes a failure of CUDA short, and adds the driver, the libraries and the remedy. Other errors stay.
func cudaError(err error, lib Library) error {
	remedy, short := cudaCause(err)
	if remedy == "" {
		return err
	}
	return fmt.Errorf("%w (%s): %s", short, cudaParts(lib), remedy)
}

// cudaCause finds what CUDA says in an error, and what to do about it, and "" for none of its failures.
func cudaCause(err error) (remedy string, short error) {
	if err == nil {
		return "", nil
	}
	text := err.Error()
	for _, r := range cudaRemedies {
		if !strings.Contains(text, r.says) {
			continue
		}
		if m := cudaFailure.FindStringSubmatch(text); m != nil {
			return r.remedy, errors.New(strings.TrimSpace(m[1]))
		}
		return r.remedy, err
	}
	if m := cudaFailure.FindStringSubmatch(text); m != nil {
		return "zoo doctor --provider cuda looks at each part", errors.New(strings.TrimSpace(m[1]))
	}
	return "", err
}

// cudaParts names the driver, and the libraries of CUDA and ONNX Runtime, as far as they tell.
func cudaParts(lib Library) string {
	driver := "no driver answers"
	if v, err := driverVersion(library.Host().CUDADriver()); err == nil {
		driver = fmt.Sprintf("the driver runs CUDA up to %d.%d", v/1000, v%1000/10)
	}
	parts := []string{driver}
	if c, err := openCUDALibraries(filepath.Dir(lib.Path)); err == nil {
		parts = append(parts, fmt.Sprintf("libraries of CUDA %s from %s", c.Version, strings.Join(c.Places, ", ")))
	}
	return strings.Join(append(parts, "ONNX Runtime "+lib.Version+" from "+lib.Path), "; ")
}
