package ort

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
)

// Optimization is how far ONNX Runtime may rewrite a graph at load.
type Optimization uint8

// The levels; the zero value is everything, ONNX Runtime's own default.
const (
	OptimizeAll Optimization = iota
	OptimizeNone
	OptimizeBasic
	OptimizeExtended
)

// Options say how a session runs. The zero value works: the library that Find
// finds, the CPU, all physical cores.
type Options struct {
	// Library is the path of the library to load, "" for what Find finds. A
	// process loads one library: while it is in use, another path is an error.
	Library string

	// Provider is "cpu" (or ""), "cuda" or "webgpu". The provider asked for is the one
	// used, or New fails and says what is missing.
	Provider string

	// ProviderOptions are passed to the provider as they are. For cuda, device_id
	// is 0 and use_tf32 is 0 (full float32 products) unless set here; for webgpu enableInt64
	// is 1, preferredLayout NCHW, and forceCpuNodeNames what belongs in main memory.
	ProviderOptions map[string]string

	// AllowCPUNodes lets nodes that the provider of a device cannot run go to the CPU.
	// Without it they are an error that names them. Nodes that compute with shapes belong
	// there anyway.
	AllowCPUNodes bool

	Threads      int          // threads inside one operator, at most engine.MaxThreads; 0: one per physical core
	NoSpinning   bool         // idle threads sleep instead of spinning: less CPU burnt, slower back-to-back runs
	MemPattern   bool         // plan memory ahead: pays only when shapes never change, costs 20–45 % more memory
	Optimization Optimization // graph rewriting at load

	// FlushDenormals takes numbers below 1.2e-38 for 0, which is what the weights of
	// distant keys become: processors take a hundred times as long for them. On arm64 ONNX
	// Runtime's own threads do not, only the one that calls.
	FlushDenormals bool

	// Safety says what the model may hold. ONNX Runtime itself runs whatever it is
	// handed, a Loop without end too.
	Safety safety.Options

	// Outputs selects and orders the session's outputs; nil: all, as declared.
	Outputs []string

	// ConfigEntries are session configuration keys of ONNX Runtime
	// ("session.disable_prepacking": "1"). They win over the fields above.
	ConfigEntries map[string]string

	// ProfilePrefix, when set, writes a JSON trace to <prefix>_<time>.json at Close.
	ProfilePrefix string
}

// IO describes one input or output of a model.
type IO struct {
	Name  string
	DType tensor.DType
	Dims  []int64  // −1 where symbolic; nil when the model declares no shape; empty for rank 0
	Axes  []string // names of the symbolic dims, "" where static or unnamed; as long as Dims
}

// String describes the value as "past[float32 batch,4,past,16]".
func (io IO) String() string {
	if io.Dims == nil {
		return fmt.Sprintf("%s[%v of any shape]", io.Name, io.DType)
	}
	dims := make([]string, len(io.Dims))
	for i, d := range io.Dims {
		switch {
		case d >= 0:
			dims[i] = fmt.Sprint(d)
		case io.Axes[i] != "":
			dims[i] = io.Axes[i]
		default:
			dims[i] = "?"
		}
	}
	return fmt.Sprintf("%s[%v %s]", io.Name, io.DType, strings.Join(dims, ","))
}
