package runtime

import (
	"cmp"
	"fmt"
	"io/fs"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Options say how a model runs. The zero value works: ONNX Runtime's CPU provider
// where the program links it, wherever the library is found, on all physical cores;
// else pure Go.
type Options struct {
	// Provider is "cpu", "cuda" (NVIDIA's cards) or "webgpu" (any vendor's: through Vulkan on
	// Linux, Metal on macOS, D3D12 on Windows), which are ONNX Runtime's, or "go" (pure Go). The provider
	// asked for is the one used, or opening fails and says what is missing. "" takes
	// "cpu" where the program links ONNX Runtime, and else "go": see Info.
	Provider string

	// ProviderOptions are passed to ONNX Runtime's provider as they are.
	ProviderOptions map[string]string

	// AllowCPUNodes lets nodes of the model that a device's provider cannot run go to the
	// CPU; without it they are an error that names them.
	AllowCPUNodes bool

	// Library is the path of the ONNX Runtime library; "" searches for it.
	Library string

	// Threads that work on one operator, at most engine.MaxThreads; 0 is one per physical
	// core, and as many as GOMAXPROCS says for the pure-Go engine, whose results have the
	// same bits with any number of them.
	Threads int

	// NoSpinning lets idle threads sleep at once: less processor time burnt, slower
	// back-to-back runs. The pure-Go engine's look for work for 200 µs before they sleep.
	NoSpinning bool

	// ProfilePrefix, when set, makes ONNX Runtime write a JSON trace to
	// <prefix>_<time>.json at Close.
	ProfilePrefix string

	// Exact makes the pure-Go engine compute in float64: slow, and the reference
	// for engines in float32. Threads do not count there. The cache between runs is float32 all the same.
	// With provider cpu it leaves in float32 what ONNX Runtime rounds to 8 bits for products with weights in
	// blocks (MatMulNBits): several times as slow, to see what such a file holds.
	Exact bool

	// AllowControlFlow lets model files hold If, Scan, and Loops of a bounded number of
	// turns, at most safety.MaxTurns (package export/safety). Without it only the Scan or
	// Loop passes that a file of zoo declares.
	AllowControlFlow bool

	// AllowDomains lists operator domains apart from ONNX's default one that model files
	// may use, such as "com.microsoft".
	AllowDomains []string

	// Beyond lets texts be longer than a pretrained model declares: with rotary positions, ALiBi or none the model computes any
	// length, and how well is another matter. Without it such texts are ErrTooLong. A model whose table of positions ends is
	// not opened with it.
	Beyond bool

	// Beside holds what belongs to a model file that zoo did not write: config.json,
	// tokenizer.json and others (package export/foreign). nil takes the folder of the file for
	// Open and OpenFS, and nothing for OpenBytes, which finds the model's data file there too. Files of zoo's need
	// none of it, unless they have a data file.
	Beside fs.FS

	// LinksWithin is a folder around the model file's, anywhere in which relative symbolic links to the file's
	// external data may lead, as in Hugging Face's cache, whose files are links to ../../blobs: there it is the
	// folder models--OWNER--NAME. "" is the file's own folder. Open alone reads it.
	LinksWithin string

	// Unvalidated hands ONNX Runtime a file as it is, even if it is damaged or would
	// run forever; the pure-Go engine only passes over damaged weights. It is for
	// files whose origin is trusted.
	Unvalidated bool

	// ChunkSize is how many tokens of a row one run takes while a prompt is read
	// or scored. It bounds memory, not the result. 0 takes 512 tokens over all
	// rows of the batch, but no fewer than 16 of each. Models that must read a prompt in one run do so (card.WholePrompts).
	ChunkSize int

	// PrefixBytes is the most memory that the session's prefixes hold together for their
	// states; 0 sets no limit. See Session.Prefill.
	PrefixBytes int64
}

// engine returns what engines heed.
func (o Options) engine() engine.Options {
	return engine.Options{
		Provider: o.Provider, ProviderOptions: o.ProviderOptions, AllowCPUNodes: o.AllowCPUNodes, Library: o.Library,
		Threads: o.Threads, NoSpinning: o.NoSpinning, ProfilePrefix: o.ProfilePrefix, Exact: o.Exact,
	}
}

// safety returns what model files may hold.
func (o Options) safety() safety.Options {
	return safety.Options{ControlFlow: o.AllowControlFlow, Domains: o.AllowDomains, Unvalidated: o.Unvalidated}
}

// Check reports what opening a model with such options would lack, for any model:
// an engine that the program links, its library, its provider.
func Check(opt Options) error {
	e, err := opt.resolve()
	if err != nil || e.Check == nil {
		return err
	}
	return e.Check(opt.engine())
}

// resolve returns the engine that the options choose, checks them, and names its provider in them.
func (o *Options) resolve() (engine.Engine, error) {
	e, err := engine.Find(o.Provider)
	if err != nil {
		return e, err
	}
	o.Provider = cmp.Or(o.Provider, e.Providers[0])
	return e, engine.Mark(o.check(), ErrOptions)
}

func (o Options) check() error {
	if o.ChunkSize < 0 {
		return fmt.Errorf("chunk size is %d, expected 0 (automatic) or more", o.ChunkSize)
	}
	if o.PrefixBytes < 0 {
		return fmt.Errorf("the most bytes of prefixes are %d, expected 0 (no limit) or more", o.PrefixBytes)
	}
	if err := engine.CheckThreads(o.Threads); err != nil {
		return err
	}
	if o.AllowCPUNodes && !engine.OnDevice(o.Provider) {
		return fmt.Errorf("nodes may go to the CPU from a device only, and provider %s computes on none; "+
			"drop AllowCPUNodes (--allow-cpu-nodes)", o.Provider)
	}
	if o.Exact && engine.OnDevice(o.Provider) {
		return fmt.Errorf("option Exact is for providers %s and %s, not %q; drop it or choose one of them", engine.Go, engine.CPU,
			o.Provider)
	}
	if o.Provider == engine.Go {
		switch {
		case o.Library != "":
			return fmt.Errorf("library %s is given, but provider %s uses no ONNX Runtime library; drop one of the two",
				o.Library, engine.Go)
		case len(o.ProviderOptions) > 0:
			return fmt.Errorf("provider %s has no options, got %v", engine.Go, o.ProviderOptions)
		case o.ProfilePrefix != "":
			return fmt.Errorf("provider %s writes no profile; drop the profile prefix %q or use provider %s",
				engine.Go, o.ProfilePrefix, engine.CPU)
		}
	}
	return nil
}

// The automatic chunk size: enough rows for full matrix speed, little enough to
// keep the attention weights [B,H,T,S] small.
const (
	autoTokens = 512
	autoLeast  = 16
)

// Chunk returns how many tokens of each of rows one run takes, of a model that takes
// several.
func (o Options) Chunk(rows int) int {
	if o.ChunkSize > 0 {
		return o.ChunkSize
	}
	return max(autoTokens/rows, autoLeast)
}
