package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/tokenizer"
)

// Session is an open model. It is safe for concurrent use.
type Session struct {
	opt      Options // with the provider that runs the model
	engine   string
	model    engine.Model
	card     card.Card
	contract card.Contract
	words    tokenizer.Coder // nil when the model has none
	longest  int             // bytes of a text that one of its tokens stands for at most; 0 where that is not known
	noWords  string          // why it has none, of a file that zoo did not write
	ends     []int64         // tokens that end a text; none where nothing says which
	oneRun   bool            // whether a prompt is read in one run: see card.WholePrompts
	warnings []string        // as Info has them
	closed   atomic.Bool
	idle     sync.Pool // of *batch: their memory is what costs

	prefixBytes atomic.Int64 // that open prefixes hold
}

// Open loads the model file at a path, or in the folder there: its model.onnx, or onnx/model.onnx. A
// file that zoo did not write is opened by what its inputs and outputs say: see package
// export/foreign. The error wraps ErrNoCard where that is no decoder, ErrFile for any
// file that cannot be run, ErrOptions for options that are out of range, ErrNoProvider when their
// provider cannot be used here, ErrNoRuntime when there is no ONNX Runtime library, and ErrNoCgo
// when the program cannot load one.
//
// The file is validated first: see Options. Data that it keeps in other files must
// be within its folder, or by links within Options.LinksWithin.
func Open(file string, opt Options) (*Session, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		within, ok := foreign.File(file)
		if !ok {
			return nil, fmt.Errorf("runtime: open: %s is a folder without model.onnx and onnx/model.onnx; zoo.Open opens runs and folders of weights, "+
				"and zoo export makes a model file of them", file)
		}
		file = within
	}
	data, external, err := safety.ReadFile(file, opt.LinksWithin)
	if err != nil {
		return nil, fmt.Errorf("runtime: open: %w", err)
	}
	if opt.Beside == nil {
		opt.Beside = foreign.Folder(file)
	}
	return open(file, data, external, opt)
}

// OpenFS is Open for a file of fsys, such as an embedded one.
func OpenFS(fsys fs.FS, name string, opt Options) (*Session, error) {
	data, external, err := safety.ReadFS(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("runtime: open: %w", err)
	}
	if opt.Beside == nil {
		if opt.Beside, err = fs.Sub(fsys, path.Dir(name)); err != nil {
			return nil, fmt.Errorf("runtime: open: %w", err)
		}
	}
	return open(name, data, external, opt)
}

// OpenBytes is Open for a file's contents, which are not needed afterwards. They
// must hold all the data, or Options.Beside the other files that have it.
func OpenBytes(model []byte, opt Options) (*Session, error) {
	var external map[string][]byte
	if opt.Beside != nil {
		var err error
		if model, external, err = safety.ReadBeside(model, opt.Beside); err != nil {
			return nil, fmt.Errorf("runtime: open model: %w", engine.Mark(err, ErrFile))
		}
	}
	return open("model", model, external, opt)
}

// OpenFile is Open for a file that was made in memory (modelfile.Model.File). It gives away the file's weights, one after the
// other, so that they are there twice only where others keep them.
func OpenFile(file *safety.File, opt Options) (*Session, error) {
	s, err := loadParsed(file, opt)
	return wrap.Value(s, err, "runtime: open model")
}

func open(name string, model []byte, external map[string][]byte, opt Options) (*Session, error) {
	s, err := load(model, external, opt)
	return wrap.Value(s, err, "runtime: open %s", name)
}

func load(file []byte, external map[string][]byte, opt Options) (*Session, error) {
	if _, err := opt.resolve(); err != nil { // before what takes long
		return nil, err
	}
	may := opt.safety()
	may.External = external
	parsed, err := safety.Check(file, may)
	if err != nil {
		return nil, engine.Mark(err, ErrFile)
	}
	return loadParsed(parsed, opt)
}

func loadParsed(parsed *safety.File, opt Options) (*Session, error) {
	used, err := opt.resolve()
	if err != nil {
		return nil, err
	}
	m, err := foreign.Describe(parsed, opt.Beside, opt.Beyond)
	if err != nil {
		return nil, engine.Mark(err, ErrFile)
	}
	s := &Session{opt: opt, engine: used.Name, card: m.Card, contract: m.Contract, words: m.Words, ends: m.Ends,
		noWords: m.NoWords, warnings: m.Warnings}
	if err := cmp.Or(checkForm(s.card, opt.Provider), s.checkTypes()); err != nil {
		return nil, engine.Mark(err, ErrOptions)
	}
	if len(s.card.Tokenizer) > 0 {
		words, err := tokenizer.New(s.card.Tokenizer)
		if err != nil {
			return nil, engine.Mark(err, ErrFile)
		}
		s.words, s.ends = words, []int64{tokenizer.EOS}
	}
	s.oneRun = s.card.WholePrompts()
	if s.words != nil {
		s.longest = s.words.LongestToken()
	}
	s.opt.Beside = nil
	if s.model, err = used.Open(engine.File{Parsed: parsed, Inputs: s.contract.Inputs, Outputs: s.contract.Outputs}, opt.engine()); err != nil {
		return nil, err
	}
	return s, nil
}

// Close releases the model. Calls in progress end with ErrClosed. Closing again
// does nothing.
func (s *Session) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.model.Close()
}

// fault returns ErrClosed for any error of a closed session.
func (s *Session) fault(err error) error {
	if s.closed.Load() {
		return ErrClosed
	}
	return err
}

// Info describes an open model.
type Info struct {
	Card      card.Card
	Engine    string // "onnxruntime" or "go"
	Version   string // of ONNX Runtime or of Go
	Library   string // path of the ONNX Runtime library; "" for the Go engine, or when the host program has loaded it
	Provider  string // "cpu", "cuda", "webgpu" or "go": as the options say, or else the one that was taken
	Adapter   string // name of the device that computes; "" for the processor, and where it is not known
	VocabSize int    // token ids run from 0 to VocabSize−1
	Inputs    []card.Port
	Outputs   []card.Port // those that are computed
	// Warnings say in what a file that zoo did not write does not compute what the files next to it describe,
	// such as a window of attention that its graph lacks.
	Warnings []string
}

// Info returns the description of the model. The caller must not change what it
// refers to.
func (s *Session) Info() Info {
	version, library := s.model.Version()
	adapter := ""
	if d, ok := s.model.(engine.DeviceModel); ok {
		adapter = d.Adapter()
	}
	return Info{
		Card: s.card, Engine: s.engine, Version: version, Library: library, Provider: s.opt.Provider, Adapter: adapter,
		VocabSize: s.contract.Vocab, Inputs: s.contract.Inputs, Outputs: s.contract.Outputs,
		Warnings: s.warnings,
	}
}

// Transferred returns how many bytes runs have moved so far between main memory and that
// of the provider's device; 0 where it has none.
func (s *Session) Transferred() (toDevice, toHost int64) {
	if d, ok := s.model.(engine.DeviceModel); ok {
		return d.Transferred()
	}
	return 0, 0
}

// Encode returns the token ids of text. Text that the vocabulary cannot express is
// ErrInput. It ends with ctx.
func (s *Session) Encode(ctx context.Context, text string) ([]int64, error) {
	return s.encode(ctx, text, tokenizer.Coder.Encode)
}

// EncodePrompt returns the token ids from which a model continues a prompt: a
// trailing space is left out, as it belongs to the first token of what follows.
// Text that the vocabulary cannot express is ErrInput, and so is a space alone. It ends with ctx as Encode
// does.
func (s *Session) EncodePrompt(ctx context.Context, prompt string) ([]int64, error) {
	ids, err := s.encode(ctx, prompt, tokenizer.Coder.EncodePrompt)
	if err == nil && len(ids) == 0 && prompt != "" {
		return nil, fmt.Errorf("runtime: encode: %w", engine.Mark(noTokens(prompt), ErrInput))
	}
	return ids, err
}

// noTokens is the error for a prompt that has none, though it has characters.
func noTokens(prompt string) error {
	if prompt == " " {
		return fmt.Errorf("prompt %q is a space alone, which belongs to the first token of the answer; begin with more", prompt)
	}
	return fmt.Errorf("the tokenizer makes no token of the %d bytes of the prompt; it needs at least one", len(prompt))
}

func (s *Session) encode(
	ctx context.Context, text string, encode func(tokenizer.Coder, context.Context, string) ([]int64, error),
) ([]int64, error) {
	if ctx == nil {
		return nil, errors.New("runtime: encode: the context is nil")
	}
	if s.words == nil {
		return nil, fmt.Errorf("runtime: encode: %w", s.withoutWords())
	}
	ids, err := encode(s.words, ctx, text)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("runtime: encode: %w", ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("runtime: encode: %w", engine.Mark(err, ErrInput))
	}
	return ids, nil
}

// LeastTokens returns a number of tokens that EncodePrompt makes of a text at least, without cutting it;
// 0 where the tokenizer may make few tokens of a long text.
func (s *Session) LeastTokens(prompt string) int {
	if s.longest == 0 {
		return 0
	}
	n := len(strings.TrimSuffix(prompt, " "))
	return (n + s.longest - 1) / s.longest
}

// Decode returns the text of token ids. Ids outside the vocabulary are ErrInput.
func (s *Session) Decode(ids []int64) (string, error) {
	if s.words == nil {
		return "", fmt.Errorf("runtime: decode: %w", s.withoutWords())
	}
	if err := s.checkIDs(ids); err != nil {
		return "", fmt.Errorf("runtime: decode: %w", engine.Mark(err, ErrInput))
	}
	text, err := s.words.Decode(ids)
	if err != nil {
		return "", fmt.Errorf("runtime: decode: %w", engine.Mark(err, ErrInput))
	}
	return text, nil
}

// checkRows checks rows of token ids.
func (s *Session) checkRows(kind string, rows [][]int64) error {
	if len(rows) == 0 {
		return fmt.Errorf("there is no %s", kind)
	}
	for i, ids := range rows {
		if len(ids) == 0 {
			return fmt.Errorf("%s %d is empty, it needs at least one token", kind, i)
		}
		if err := s.checkIDs(ids); err != nil {
			return fmt.Errorf("%s %d has %w", kind, i, err)
		}
	}
	return nil
}

// checkIDs checks that the model has the tokens.
func (s *Session) checkIDs(ids []int64) error {
	for i, id := range ids {
		if id < 0 || id >= int64(s.contract.Vocab) {
			return fmt.Errorf("token id %d at index %d, the vocabulary has ids 0 to %d", id, i, s.contract.Vocab-1)
		}
	}
	return nil
}

// groups splits rows into those that can run together: all of them when the
// model can tell padding and they begin with no prefix, else rows of equal length.
func (s *Session) groups(rows [][]int64, prefix *Prefix) [][]int {
	var out [][]int
	at := map[int]int{} // by length
	for i, r := range rows {
		length := len(r)
		if s.contract.Mask >= 0 && !s.contract.Unpadded && prefix == nil {
			length = 0
		}
		g, ok := at[length]
		if !ok {
			g = len(out)
			at[length] = g
			out = append(out, nil)
		}
		out[g] = append(out[g], i)
	}
	return out
}

// pick returns the listed elements.
func pick[T any](list []T, indices []int) []T {
	return lists.Map(indices, func(at int) T { return list[at] })
}
