// Package card holds the contract of a model file: its inputs and outputs, the states
// that are carried from call to call, and what the file says about itself, as one
// struct and in its form in the file, string pairs that ONNX calls metadata_props.
//
// Other packages read names, element types and shapes from here: models builds graphs
// with them, runtime checks and feeds files by them, experiment/bench counts by them. The
// package knows no other: it checks that a card is complete and in range, and fits the
// inputs and outputs of its file, not that it fits a task or an encoding.
//
// # Other readers
//
// A file runs wherever ONNX does. A state in place needs no memory that past and present
// share, which only saves a copy: the present of one run may be a new tensor that is fed as
// the past of the next. Its capacity is the number of slots that the request needs, and
// all of it is 0 at first. cache_position counts the slots of the new tokens on from those
// filled, without gaps. attention_mask has a column for each slot of the capacity: 0 where
// a row is padded on the left, and 1 elsewhere. A state with all its lengths fixed, such as
// the state of a sliding window, is 0 at first too. In Python, for one row, without padding:
//
//	session = onnxruntime.InferenceSession("copy-rope.onnx")
//	ids = numpy.array([prompt])                  # [batch, seq]
//	filled, capacity = 0, len(prompt) + new - 1  # the last new token is not read
//	lengths = {"batch": 1, "capacity": capacity}
//	states = {i.name: numpy.zeros([lengths.get(d, d) for d in i.shape], numpy.float32)
//	          for i in session.get_inputs() if i.name.startswith("past")}
//	while filled < capacity:
//	    slots = numpy.arange(filled, filled + ids.shape[1])
//	    feed = {"input_ids": ids, "position_ids": slots[None], "cache_position": slots,
//	            "attention_mask": numpy.ones([1, capacity], numpy.int64),
//	            "logits_to_keep": numpy.array([1]), **states}
//	    logits, *present = session.run(None, {i.name: feed[i.name] for i in session.get_inputs()})
//	    states = dict(zip(states, present))
//	    filled, ids = filled + ids.shape[1], logits.argmax(-1)
//
// A file of the form Looped needs no such loop. Shorter prompts of a batch are padded on the
// left, where the mask is 0; at most 1,048,576 tokens of a row are read:
//
//	session = onnxruntime.InferenceSession("copy-rope.generate.onnx")
//	ids = numpy.array([prompt])  # [batch, seq]
//	feed = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "max_new": numpy.array([new])}
//	answers, lengths = session.run(None, feed)  # the first is answers[0, :lengths[0]]
package card

import (
	"cmp"
	"encoding/json"
	"strings"
)

// The profiles of a model file.
const (
	Portable = "portable" // default-domain operators of opset 18 only
	Fused    = "fused"    // opset 23, with fused norm and rotary operators
	// Foreign is for a file that another program wrote: what its card says was read from its
	// inputs and outputs (package export/foreign), and is in no file.
	Foreign = "foreign"
)

// How position ids ran in training. Afterwards they are Contiguous for every model.
const (
	Contiguous = "contiguous" // they count a row's tokens: 0, 1, 2, …; padding's are 0
	Offset     = "offset"     // they count from a number on that was drawn for each row
	Randomized = "randomized" // they ascend in steps that were drawn
)

// What a file computes.
const (
	// Steps: logits of new tokens, with states that the caller hands from call to call.
	Steps = ""
	// Looped: whole answers to prompts, chosen greedily, in one call, with the states inside.
	// Its inputs and outputs are InputIDs, AttentionMask and MaxNew, OutputIDs and OutputLengths.
	Looped = "answers"
)

// What Card.Checks may name.
const (
	CheckStructure = "structure" // an independent reader finds in the file what was meant
	CheckParity    = "parity"    // ONNX Runtime agrees with the pure-Go engine in float64
	CheckParityOn  = "parity-"   // + provider: the same of ONNX Runtime on a device
	CheckGo        = "go"        // the pure-Go engine agrees by pieces with itself in float64
	CheckLooped    = "answers"   // answers are the file of steps', token by token
)

// Card describes one model file. The zero value is not valid: Architecture,
// Positions and Profile are required.
type Card struct {
	Architecture   string          // such as "decoder"
	Encoding       string          // of positions; by layer as in "rope*3/nope"; empty where the architecture has none
	EncodingParams json.RawMessage // the encoding's parameters, a JSON object; nil for none
	Positions      string          // how position ids ran in training: Contiguous, Offset or Randomized
	Config         json.RawMessage // the model's configuration, a JSON object; nil for none
	Intervention   string          // what was changed after training, weights apart, such as "yarn:4"; empty for nothing
	Tokenizer      []string        // the vocabulary's pieces in id order; empty for a model without one
	Task           string          // what it was trained on; empty for none
	Trained        Lengths         // task lengths seen in training
	MaxLength      int             // most positions in tokens the model can take; 0 = no limit
	Profile        string          // Portable or Fused
	DType          string          // of the large matrices, Float16, BFloat16, Int8Block, Int4Block or in old files Int8; empty for float32, which all else is
	State          []State         // what one call hands to the next, in input order
	Seed           uint64          // of the training run
	DataSeed       uint64          // of its samples and position ids; 0: Seed
	ConfigHash     string          // hash of the run's configuration
	DataHash       string          // hash of what defines the training data
	Steps          int             // optimizer steps taken
	TrainProvider  string          // what made them, "cpu", or of several "cpu+cuda"; empty if never trained, and in old files
	Loss           *float64        // last training loss in nats per target token; nil if never trained
	Parity         *float64        // worst error between runtimes found at export; nil if not measured
	Checks         []string        // what was checked at export: CheckStructure, …; empty if nothing was, and in old files
	Difference     *Difference     // from the float32 model; nil for that, and if not measured
	Parameters     int64           // number of trained scalars, a tied weight counted once
	ToolVersion    string          // version of the program that wrote the file
	// FittedStep is the step, counted as Steps, of the first evaluation in training without a
	// mistake at the trained lengths; 0: there was none; nil: nothing was evaluated, and in old
	// files.
	FittedStep *int
	// Pretrained is where the weights come from that others trained; nil for weights of zoo's.
	Pretrained *Pretrained
	// Form is what the file computes: Steps or Looped.
	Form string
	// WeightsSHA256 is the hash of the file's initializers (see export/safety); empty
	// in old files. Writing a file sets it anew.
	WeightsSHA256 string
}

// Name is what the model is called among others and in names of files: by its encoding, or by
// its architecture where that has none. Encodings by layer, rope*3/nope, are 3rope+nope there.
func (c Card) Name() string {
	var parts []string
	for part := range strings.SplitSeq(cmp.Or(c.Encoding, c.Architecture), "/") {
		name, count, _ := strings.Cut(part, "*")
		parts = append(parts, count+name)
	}
	return strings.Join(parts, "+")
}

// Pretrained is what is known of a model that others trained.
type Pretrained struct {
	Family string `json:"family"` // its model_type, such as "llama"
	Source string `json:"source"` // name of the folder or file
	SHA256 string `json:"sha256"` // of config.json and the weights, or of the file
	// DeclaredLength is how many tokens the configuration says that a text has at most; 0 where it does not.
	DeclaredLength int `json:"declared_length,omitempty"`
	// Beyond: a text may have more tokens than declared.
	Beyond bool `json:"beyond,omitempty"`
	// Ends are the tokens that end a text.
	Ends []int64 `json:"ends,omitempty"`
	// TokenizerSHA256 is the hash of the tokenizer.json that belongs to it; empty for none.
	TokenizerSHA256 string `json:"tokenizer_sha256,omitempty"`
	// Chat is how a conversation is written; nil where the model came without a chat template.
	Chat *Chat `json:"chat,omitempty"`
}

// Declares reports whether a limit of lengths is what the configuration says, and not what the model can take.
func (p *Pretrained) Declares(limit int) bool { return p != nil && p.DeclaredLength == limit }

// Chat is how a conversation is written: a template in Jinja, and the tokens that begin and end a text.
type Chat struct {
	Template string `json:"template"`
	BOS      string `json:"bos,omitempty"`
	EOS      string `json:"eos,omitempty"`
}

// Lengths is a closed range of task lengths; both are 0 for a model that was
// not trained.
type Lengths struct {
	Min, Max int
}
