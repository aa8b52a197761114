package ort

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"unicode/utf16"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/ort/library"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/runtime/engine"
)

// largeFile is the bytes of a file from which on it is worth a collection that the parsed weights are not there beside ONNX
// Runtime's.
const largeFile = 64 << 20

// load makes a session. Of the file what is kept is needed until the session ends, and the rest is taken out of it.
func (a *api) load(file *safety.File, host hostPart, lib Library, opt engine.Options) (session handle, kept *handed, err error) {
	options, err := a.create(createSessionOptions)
	if err != nil {
		return 0, nil, fmt.Errorf("ort: %w", err)
	}
	defer a.call(releaseSessionOptions, uintptr(options))
	if err := a.configure(options, opt); err != nil {
		return 0, nil, err
	}
	var pin goruntime.Pinner
	defer pin.Unpin()
	copied, kept, err := a.handOver(options, file, opt.Provider)
	defer func() {
		copied.release()
		if err != nil {
			kept.release()
		}
		file.Data = nil
		if len(file.Apart) > 0 {
			debug.FreeOSMemory()
		}
	}()
	for _, t := range file.Proto.Graph.Initializer {
		t.RawData = nil // what was handed over is pinned, and the rest is in the file's bytes
	}
	if err != nil {
		return 0, nil, err
	}
	if len(file.Data) > largeFile {
		debug.FreeOSMemory()
	}
	create := func() error {
		session, err = a.create(createSessionFromArray, uintptr(a.env), pinSlice(&pin, file.Data), uintptr(len(file.Data)),
			uintptr(options))
		if err != nil {
			return fmt.Errorf("ort: load model: %w", err)
		}
		return nil
	}
	if opt.Provider == "" || opt.Provider == engine.CPU {
		return session, kept, create()
	}
	defer lockProvider(opt.Provider)()
	// CUDA installs signal handlers of its own (yalue/onnxruntime_go#140).
	err = keepSignals(func() error {
		if err := a.use(options, opt.Provider, lib, host, opt.ProviderOptions); err != nil {
			return err
		}
		err := create()
		if opt.Provider == engine.CUDA {
			err = cudaError(err, lib)
		}
		return err
	})
	return session, kept, err
}

// releaseSession releases a session of a provider.
func (a *api) releaseSession(session handle, provider string) {
	defer lockProvider(provider)()
	a.call(releaseSession, uintptr(session))
}

// use appends a provider to session options, for a model with that host's part.
func (a *api) use(session handle, provider string, lib Library, host hostPart, options map[string]string) error {
	var err error
	switch provider {
	case engine.CPU:
	case engine.CUDA:
		err = a.useCUDA(session, lib, options)
	case engine.WebGPU:
		err = a.useWebGPU(session, lib, host, options)
	default:
		return fmt.Errorf("ort: unknown provider %q, known are cpu, cuda and webgpu", provider)
	}
	if err != nil {
		return engine.Mark(err, engine.ErrNoProvider)
	}
	return nil
}

// optimizeAll is a GraphOptimizationLevel.
const optimizeAll = 99

func (a *api) configure(options handle, opt engine.Options) error {
	if err := engine.CheckThreads(opt.Threads); err != nil {
		return fmt.Errorf("ort: %w", err)
	}
	entries := map[string]string{"session.set_denormal_as_zero": "1"} // in the session's own threads
	if opt.Exact {
		entries["session.qdq_matmulnbits_accuracy_level"] = "1"
	}
	if opt.NoSpinning {
		entries["session.intra_op.allow_spinning"] = "0"
	}
	if opt.Training {
		entries["session.force_spinning_stop"] = "1"
	}
	if memoryNames[opt.Provider] != "" {
		entries[recordPlacement] = "1"
	}
	var pin goruntime.Pinner
	defer pin.Unpin()
	o := uintptr(options)
	errs := []error{
		a.do(setSessionLogSeverityLevel, o, logFatal),
		a.do(setIntraOpNumThreads, o, uintptr(opt.Threads)),
		a.do(disableMemPattern, o),
		a.do(setSessionGraphOptimization, o, optimizeAll),
	}
	if opt.ProfilePrefix != "" {
		errs = append(errs, a.do(enableProfiling, o, pathString(&pin, opt.ProfilePrefix)))
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		errs = append(errs, a.do(addSessionConfigEntry, o, cString(&pin, key), cString(&pin, entries[key])))
	}
	return wrap.Error(errors.Join(errs...), "ort: session options")
}

// pathString pins a path as the system's C functions take it.
func pathString(pin *goruntime.Pinner, path string) uintptr {
	if goruntime.GOOS == "windows" {
		return pinSlice(pin, append(utf16.Encode([]rune(path)), 0))
	}
	return cString(pin, path)
}

const cudaRemedy = "the provider needs an NVIDIA driver, the CUDA and cuDNN libraries, " +
	"and a CUDA build of ONNX Runtime " +
	Version + ": zoo setup --provider cuda"

// CUDADevice is the option of the CUDA provider that chooses a device by its number.
const CUDADevice = "device_id"

// useCUDA appends the CUDA provider to the session options.
func (a *api) useCUDA(session handle, lib Library, options map[string]string) error {
	if lib.Path != "" {
		folder := filepath.Dir(lib.Path)
		files, _ := fs.Glob(os.DirFS(folder), "*onnxruntime_providers_cuda*")
		if len(files) == 0 {
			return fmt.Errorf("ort: provider cuda: there is no onnxruntime_providers_cuda library beside %s; %s%s",
				lib.Path, cudaRemedy, elsewhere(engine.CUDA, lib))
		}
		if err := library.CheckProviders(folder, library.Host()); err != nil {
			return fmt.Errorf("ort: provider cuda: %w; %s", err, cudaRemedy)
		}
		if err := openCUDA(lib); err != nil {
			return fmt.Errorf("ort: provider cuda: %w", err)
		}
	}
	cuda, err := a.create(createCUDAProviderOptions)
	if err != nil {
		return fmt.Errorf("ort: provider cuda: %w; %s", err, cudaRemedy)
	}
	defer a.call(releaseCUDAProviderOptions, uintptr(cuda))
	all := map[string]string{CUDADevice: "0", "use_tf32": "0"}
	maps.Copy(all, options)
	var pin goruntime.Pinner
	defer pin.Unpin()
	keys, values, n := cPairs(&pin, all)
	if err := a.do(updateCUDAProviderOptions, uintptr(cuda), keys, values, n); err != nil {
		return fmt.Errorf("ort: provider cuda: options: %w", cudaError(err, lib))
	}
	if err := a.do(appendCUDA, uintptr(session), uintptr(cuda)); err != nil {
		if remedy, _ := cudaCause(err); remedy != "" {
			return fmt.Errorf("ort: provider cuda: %w", cudaError(err, lib))
		}
		return fmt.Errorf("ort: provider cuda: %w; %s", err, cudaRemedy)
	}
	// CUDA does not survive being unloaded: from here on the environment stays.
	_, err = retain()
	return err
}

// Probe loads the library that Find finds for a provider, and reports it with its true
// version and why sessions cannot use the provider; nil where they can. It is for diagnosis.
func Probe(provider, explicit string) (lib Library, unusable, err error) {
	lib, api, err := acquire(provider, explicit)
	if err != nil {
		return Library{}, nil, err
	}
	unusable = keepSignals(func() error { return api.try(lib, provider) })
	return lib, unusable, release()
}

// try appends a provider to session options.
func (a *api) try(lib Library, provider string) error {
	options, err := a.create(createSessionOptions)
	if err != nil {
		return err
	}
	defer a.call(releaseSessionOptions, uintptr(options))
	defer lockProvider(provider)()
	return a.use(options, provider, lib, hostPart{}, nil)
}
