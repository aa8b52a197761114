//go:build cgo

package ort

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	ort "github.com/yalue/onnxruntime_go"
)

// load makes the binding's session.
func load(model []byte, lib Library, inputs, outputs []string, opt Options) (*ort.DynamicAdvancedSession, error) {
	so, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("ort: %w", err)
	}
	defer func() { _ = so.Destroy() }()
	if err := configure(so, opt); err != nil {
		return nil, err
	}
	var session *ort.DynamicAdvancedSession
	create := func() error {
		var err error
		if session, err = ort.NewDynamicAdvancedSessionWithONNXData(model, inputs, outputs, so); err != nil {
			return fmt.Errorf("ort: load model: %w", err)
		}
		return nil
	}
	switch opt.Provider {
	case "", providerCPU:
		err := create()
		return session, err
	case providerCUDA:
		// CUDA installs signal handlers of its own (yalue/onnxruntime_go#140).
		err := keepSignals(func() error {
			if err := useCUDA(so, lib, opt.ProviderOptions); err != nil {
				return err
			}
			return create()
		})
		return session, err
	}
	return nil, fmt.Errorf("ort: unknown provider %q, known are cpu and cuda", opt.Provider)
}

func configure(so *ort.SessionOptions, opt Options) error {
	if err := CheckThreads(opt.Threads); err != nil {
		return fmt.Errorf("ort: %w", err)
	}
	entries := map[string]string{}
	if opt.NoSpinning {
		entries["session.intra_op.allow_spinning"] = "0"
	}
	maps.Copy(entries, opt.ConfigEntries)
	level, ok := map[Optimization]ort.GraphOptimizationLevel{
		OptimizeAll:      ort.GraphOptimizationLevelEnableAll,
		OptimizeNone:     ort.GraphOptimizationLevelDisableAll,
		OptimizeBasic:    ort.GraphOptimizationLevelEnableBasic,
		OptimizeExtended: ort.GraphOptimizationLevelEnableExtended,
	}[opt.Optimization]
	if !ok {
		return fmt.Errorf("ort: unknown optimization level %d", opt.Optimization)
	}
	steps := []func() error{
		func() error { return so.SetLogSeverityLevel(ort.LoggingLevelFatal) },
		func() error { return so.SetIntraOpNumThreads(opt.Threads) },
		func() error { return so.SetMemPattern(opt.MemPattern) },
		func() error { return so.SetGraphOptimizationLevel(level) },
	}
	if opt.ProfilePrefix != "" {
		steps = append(steps, func() error { return so.EnableProfiling(opt.ProfilePrefix) })
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		steps = append(steps, func() error { return so.AddSessionConfigEntry(key, entries[key]) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("ort: session options: %w", err)
		}
	}
	return nil
}

const cudaRemedy = "the provider needs an NVIDIA driver, the CUDA and cuDNN libraries, and a CUDA build of ONNX Runtime " +
	Version + ": zoo setup --provider cuda --from DIR"

// useCUDA appends the CUDA provider to the session options.
func useCUDA(so *ort.SessionOptions, lib Library, options map[string]string) error {
	if lib.Path != "" {
		files, _ := filepath.Glob(filepath.Join(filepath.Dir(lib.Path), "*onnxruntime_providers_cuda*"))
		if len(files) == 0 {
			return fmt.Errorf("ort: provider cuda: there is no onnxruntime_providers_cuda library beside %s; %s", lib.Path, cudaRemedy)
		}
	}
	if lib.Path != "" {
		if err := checkProviders(filepath.Dir(lib.Path), hostPlatform()); err != nil {
			return fmt.Errorf("ort: provider cuda: %w; %s", err, cudaRemedy)
		}
	}
	cuda, err := ort.NewCUDAProviderOptions()
	if err != nil {
		return fmt.Errorf("ort: provider cuda: %w; %s", err, cudaRemedy)
	}
	defer func() { _ = cuda.Destroy() }()
	all := map[string]string{"device_id": "0", "use_tf32": "0"}
	maps.Copy(all, options)
	if err := cuda.Update(all); err != nil {
		return fmt.Errorf("ort: provider cuda: options: %w", err)
	}
	if err := so.AppendExecutionProviderCUDA(cuda); err != nil {
		return fmt.Errorf("ort: provider cuda: %w; %s", err, cudaRemedy)
	}
	// CUDA does not survive being unloaded: from here on the environment stays.
	_, err = retain()
	return err
}

// Probe loads the library that Find finds, and reports it with its true version
// and, per provider, nil or why sessions cannot use it. It is for diagnosis.
func Probe(explicit string) (Library, map[string]error, error) {
	lib, _, err := acquire(explicit)
	if err != nil {
		return Library{}, nil, err
	}
	cuda := keepSignals(func() error {
		so, err := ort.NewSessionOptions()
		if err != nil {
			return err
		}
		defer func() { _ = so.Destroy() }()
		return useCUDA(so, lib, nil)
	})
	return lib, map[string]error{providerCPU: nil, providerCUDA: cuda}, release()
}
