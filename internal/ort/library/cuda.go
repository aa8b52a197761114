package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/files"
)

// The libraries of CUDA and cuDNN, by the names under which others need them. Those of
// cuFFT are not among them: a provider that does not need them to be loaded opens them
// only for Fourier transforms, which no model of zoo has.
var (
	cudaName   = regexp.MustCompile(`^(lib)?(cuda|cublas|cudnn|cufft|curand|cusolver|cusparse|nvJitLink|nvrtc)`)
	driverName = regexp.MustCompile(`^(libcuda\.so|nvcuda\.dll)`)
	cublasName = regexp.MustCompile(`^(?:libcublas\.so\.|cublas64_)(\d+)`)
)

// CUDAProvider is the file name of the CUDA provider.
func (p Platform) CUDAProvider() string {
	if p.OS() == "windows" {
		return "onnxruntime_providers_cuda.dll"
	}
	return "libonnxruntime_providers_cuda.so"
}

// CUDADriver is the name of the library that comes with NVIDIA's driver.
func (p Platform) CUDADriver() string {
	if p.OS() == "windows" {
		return "nvcuda.dll"
	}
	return "libcuda.so.1"
}

// CUDANeeds lists the libraries of CUDA and cuDNN without which the CUDA provider in a
// folder cannot work, in an order in which they can be opened, and the version of
// CUDA that they are of ("13"; "" where no name tells). The driver is not among them.
func CUDANeeds(folder string, p Platform) (names []string, version string, err error) {
	needs, err := Needs(filepath.Join(folder, p.CUDAProvider()), p)
	if err != nil {
		return nil, "", err
	}
	for _, name := range needs {
		if cudaName.MatchString(name) && !driverName.MatchString(name) {
			names = append(names, name)
		}
		if m := cublasName.FindStringSubmatch(name); m != nil {
			version = m[1]
		}
	}
	// Providers since 1.29 open cuDNN only when they first run, and cuDNN the compiler
	// of kernels.
	late := []string{"libnvrtc.so." + version, "libcudnn.so.9"}
	if p.OS() == "windows" {
		late = []string{"cudart64_" + version + ".dll", "nvrtc64_" + version + "0_0.dll", "cudnn64_9.dll"}
	}
	cudnn := func(name string) bool { return strings.Contains(name, "cudnn") }
	if version != "" && !slices.ContainsFunc(names, cudnn) {
		names = append(names, late...)
	}
	return names, version, nil
}

// CUDAFolder is where set-up puts the libraries of CUDA and cuDNN that it fetched for
// the ONNX Runtime library in a folder.
func CUDAFolder(folder string) string { return filepath.Join(folder, "cuda") }

const (
	pythonRecord     = "python.json"
	mostPythonRecord = 1 << 16
)

// python is the record of what a Python environment has.
type python struct {
	Folders []string `json:"folders"`
}

// RecordPython keeps, for the ONNX Runtime library in a folder, the folders of a Python
// environment that hold libraries of CUDA and cuDNN.
func RecordPython(folder string, folders []string) error {
	return files.WriteJSONAtomic(filepath.Join(folder, pythonRecord), python{folders})
}

// CUDAPlaces lists where libraries of CUDA and cuDNN may be, beside where the system's
// loader looks: for the ONNX Runtime library in a folder, and then for the one in the
// per-user cache, what set-up fetched and the Python environment that it recorded; last
// the usual places of NVIDIA's installers. Each is a list of folders that belong
// together.
func CUDAPlaces(folder string, p Platform) ([][]string, error) {
	folders := []string{folder}
	if cache, err := CacheFolder("", p, true); err == nil && cache != folder {
		folders = append(folders, cache)
	}
	var places [][]string
	for _, f := range folders {
		places = append(places, []string{CUDAFolder(f)})
		record := filepath.Join(f, pythonRecord)
		data, err := files.ReadRegular(record, mostPythonRecord)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var found python
		if err := json.Unmarshal(data, &found); err != nil {
			return nil, fmt.Errorf("%s is damaged: %w; write it anew with: zoo setup --provider cuda", record, err)
		}
		places = append(places, found.Folders)
	}
	if p.OS() == "linux" {
		places = append(places, []string{"/usr/local/cuda/lib64", "/opt/cuda/lib64"})
	}
	return places, nil
}

// InPlace returns the file of a name in the first of the folders that has one, or "".
func InPlace(place []string, name string) string {
	for _, folder := range place {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}
