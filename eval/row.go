package eval

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
)

// RowSchema is the version of Row's JSON form. Adding fields does not raise it.
//
// Since 2 the samples of a row are all different. Rows of schema 1 are still read;
// they may hold a prompt several times, and their keys answer no new cell.
const RowSchema = 2

// What a row measures.
const (
	MeasureAccuracy = "accuracy" // samples of a task: Score and Speed
	MeasureSpeed    = "speed"    // any tokens at all: Speed and Cost
	MeasureText     = "text"     // windows of running text: Text
)

// Row is the record of one model on one task at one length, or of its speed at
// one length without a task: one JSON line. Of the measurements (Score, Speed, Cost, Text)
// those that Measure does not have, and all of them when NA is true, are zero. In JSON
// their fields lie among the others, and are absent then.
type Row struct {
	Schema  int    `json:"schema"`
	Measure string `json:"measure"` // "" in older files is MeasureAccuracy
	Environment

	Architecture string `json:"architecture"`
	Encoding     string `json:"encoding"`
	Intervention string `json:"intervention,omitempty"` // what was changed after training (see card.Card)
	Positions    string `json:"positions"`
	Profile      string `json:"profile"`
	DType        string `json:"dtype,omitempty"` // of the large matrices: "float16", "bfloat16", "int8-block", "int4-block", in old files "int8"; absent for float32
	ConfigHash   string `json:"config_hash"`
	TrainSeed    uint64 `json:"train_seed"`
	DataSeed     uint64 `json:"train_data_seed,omitempty"` // of training's samples; 0: TrainSeed
	TrainSteps   int    `json:"train_steps"`
	// FittedStep is the card's: 0 never fitted, nil not known.
	FittedStep *int `json:"fitted_step,omitempty"`
	// TrainProvider is the card's: what made the steps, absent where that is not known.
	TrainProvider string `json:"train_provider,omitempty"`
	TrainMin      int    `json:"train_min"` // shortest and longest task length seen in training, of a
	TrainMax      int    `json:"train_max"` // pretrained model those that it declares; 0 if never trained
	Parameters    int64  `json:"parameters"`

	Task        string `json:"task"` // "" for MeasureSpeed, as are version, split and seed
	TaskVersion int    `json:"task_version"`
	Split       string `json:"split"`
	// Whole says that samples are drawn from every prompt, not from Split alone (see
	// task.Task.SplitFor and NotHeldOut). Of a bin it says so of some of its lengths: of
	// one that the model was trained on, where the bin has such.
	Whole bool `json:"whole,omitempty"`
	// Length is the task's measure, not tokens but of tasks in them; for MeasureSpeed the tokens read first, and for
	// MeasureText the tokens of a window.
	// With LengthMin the row is one of a bin, whose samples have lengths from there to
	// Length; 0 for a single length.
	Length    int `json:"length"`
	LengthMin int `json:"length_min,omitempty"`
	// Depth is where the fact that is asked for stands, in percent of the text before the question (Config.Depth).
	Depth *int `json:"depth,omitempty"`
	// LongestWindow is TextConfig.Longest of MeasureText; absent in rows of corpora of version 1, whose windows
	// had to fit their own length alone.
	LongestWindow int    `json:"longest_window,omitempty"`
	Seed          uint64 `json:"seed"`  // of the samples
	Batch         int    `json:"batch"` // most sequences in one call

	NA      bool   `json:"na"` // the model or the split has nothing at this length
	Reason  string `json:"reason,omitempty"`
	Untimed bool   `json:"untimed,omitempty"` // there is no Speed (see Config.Untimed)
	Score
	Speed
	Cost
	Text *TextScore `json:"text,omitempty"` // of MeasureText alone, else nil
}

// rowJSON is a row's JSON form: what it has no measurement of is absent.
type rowJSON struct {
	rowFields
	ScalingRamp string `json:"scaling_ramp,omitempty"` // see card.RampOf
	*Score
	*Speed
	*Cost
}

// rowFields are a row's without its methods. Its measurements' are hidden by
// rowJSON's own.
type rowFields Row

func (r *Row) json() rowJSON {
	out := rowJSON{rowFields: rowFields(*r), ScalingRamp: card.RampOf(r.Intervention)}
	if r.scored() {
		out.Score = &r.Score
	}
	if r.Timed() {
		out.Speed = &r.Speed
	}
	if r.Timed() && r.measure() == MeasureSpeed {
		out.Cost = &r.Cost
	}
	return out
}

func (j *rowJSON) row() Row {
	r := Row(j.rowFields)
	r.Intervention = card.ReadIntervention(r.Intervention, j.ScalingRamp)
	if j.Score != nil {
		r.Score = *j.Score
	}
	if j.Speed != nil {
		r.Speed = *j.Speed
	}
	if j.Cost != nil {
		r.Cost = *j.Cost
	}
	return r
}

// MarshalJSON implements json.Marshaler.
func (r Row) MarshalJSON() ([]byte, error) { return marshal(r.json()) }

// marshal is json.Marshal without the escapes of HTML, which are the caller's choice.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Row) UnmarshalJSON(data []byte) error {
	j := r.json()
	j.ScalingRamp = ""
	err := json.Unmarshal(data, &j)
	*r = j.row()
	return err
}

// scored reports whether the row has a Score.
func (r *Row) scored() bool { return r.N > 0 }

// Timed reports whether the row has a Speed.
func (r *Row) Timed() bool { return !r.NA && !r.Untimed }

// NotHeldOut reports whether training may have seen the row's prompts: they are drawn
// from every prompt of a length that the model was trained on, or may have been.
func (r *Row) NotHeldOut() bool {
	s := r.Span()
	return r.Whole && (r.TrainMax == 0 || r.TrainMin <= s.Max && s.Min <= r.TrainMax)
}

// Span is the row's length, or its bin of lengths.
func (r *Row) Span() task.Span { return task.Span{Min: cmp.Or(r.LengthMin, r.Length), Max: r.Length} }

// measure is what the row measures, in older files too.
func (r *Row) measure() string { return cmp.Or(r.Measure, MeasureAccuracy) }

// Environment is what the caller knows of the model file and the machine.
type Environment struct {
	Model       string `json:"model"` // name in tables
	ModelSHA256 string `json:"model_sha256"`
	ModelBytes  int64  `json:"model_bytes,omitempty"` // size of the file; older rows lack it
	Provider    string `json:"provider"`              // ONNX Runtime's, "cpu", "cuda" or "webgpu"; "go" for the engine in pure Go
	Threads     int    `json:"threads"`
	Spinning    bool   `json:"spinning"`          // whether idle threads spin
	Machine     string `json:"machine"`           // processor
	Adapter     string `json:"adapter,omitempty"` // the device that computes, as its driver names it; absent for the processor
	ORTVersion  string `json:"ort_version"`
	ToolVersion string `json:"tool_version"`
}

// Score is how right the answers are. Ratios lie in 0..1.
type Score struct {
	N                int      `json:"n"`                 // samples
	Asked            int      `json:"n_asked,omitempty"` // samples asked for; more than N where there are not as many
	Distinct         int      `json:"distinct"`          // different prompts among the N: all, but in schema 1
	Prompts          int      `json:"prompts,omitempty"` // there are: N if these, else an estimate; 0 past counting
	Correct          int      `json:"correct"`           // exact matches of the parsed answer
	Accuracy         float64  `json:"accuracy"`
	AccuracyLow      float64  `json:"accuracy_low"` // Wilson 95 % interval
	AccuracyHigh     float64  `json:"accuracy_high"`
	Chance           float64  `json:"chance"`           // accuracy of a guesser
	SequenceCorrect  int      `json:"sequence_correct"` // all target tokens and the end token
	SequenceAccuracy float64  `json:"sequence_accuracy"`
	Tokens           int      `json:"tokens"`         // of all targets, end tokens included
	TokensCorrect    int      `json:"tokens_correct"` // equal to the target's at the same position
	TokenAccuracy    float64  `json:"token_accuracy"`
	EditDistance     float64  `json:"edit_distance"` // mean over samples, each divided by the longer length; no end tokens
	Loss             *float64 `json:"loss"`          // nats per target token; null if NonfiniteTokens > 0
	// Parts is the mean share of a scratchpad's steps whose part is right, by part
	// (see task.Task.Parts); absent without a scratchpad.
	Parts map[string]float64 `json:"scratchpad,omitempty"`

	NonfiniteTokens int `json:"nonfinite_tokens,omitempty"` // target tokens whose log-probability is not finite
}

// Speed is what generating cost. It counts the batches of full size alone (all
// of them have the same number of sequences) and no warm-up; times are wall time.
type Speed struct {
	Warmup          int     `json:"warmup"`                     // batches run before, untimed
	TimedBatches    int     `json:"timed_batches"`              // batches that were timed
	TimedBatch      int     `json:"timed_batch"`                // sequences in each of them
	SequenceTokens  int     `json:"sequence_tokens"`            // longest prompt + target + end token
	Repeats         int     `json:"repeats"`                    // times that all of it was generated
	PrefillMS       float64 `json:"prefill_ms"`                 // median over batches of the time to read the prompts
	PrefillP95MS    float64 `json:"prefill_p95_ms"`             //
	PrefillP99MS    float64 `json:"prefill_p99_ms"`             //
	FirstTokenMS    float64 `json:"ttft_ms"`                    // PrefillMS: choosing the first tokens costs microseconds
	DecodeSteps     int     `json:"decode_steps"`               // steps after the first token; 0 leaves the next three 0
	DecodeP50MS     float64 `json:"decode_p50_ms"`              // per step of the whole batch
	DecodeP95MS     float64 `json:"decode_p95_ms"`              //
	DecodeP99MS     float64 `json:"decode_p99_ms"`              //
	DecodeBusBytes  float64 `json:"decode_bus_bytes,omitempty"` // of inputs and outputs per step of the whole batch, both ways; absent without a device
	GeneratedTokens int     `json:"generated_tokens"`           // by all sequences, end tokens included
	GenerateSeconds float64 `json:"generate_s"`                 // prefill and decode
	TokensPerSecond float64 `json:"tokens_per_second"`          // GeneratedTokens / GenerateSeconds

	// TokensPerSecondSD is the sample standard deviation of TokensPerSecond: over
	// the repeats if there are several, else over the batches, whose samples
	// differ. SDOf says which; both are absent for fewer than two values.
	TokensPerSecondSD float64 `json:"tokens_per_second_sd,omitempty"`
	SDOf              string  `json:"sd_of,omitempty"` // SDOfRepeats or SDOfBatches
	// PrefillSDMS and DecodeSDMS are the same of the medians of the prefill and of
	// the later steps; older files lack them.
	PrefillSDMS float64 `json:"prefill_sd_ms,omitempty"`
	DecodeSDMS  float64 `json:"decode_sd_ms,omitempty"`
	// RepeatRates are the repeats' tokens per second, RepeatPrefillMS and
	// RepeatDecodeMS their medians, in the order they were measured.
	RepeatRates     []float64 `json:"repeat_tokens_per_second,omitempty"`
	RepeatPrefillMS []float64 `json:"repeat_prefill_ms,omitempty"`
	RepeatDecodeMS  []float64 `json:"repeat_decode_ms,omitempty"`

	PeakMemory   int64  `json:"peak_memory_bytes,omitempty"`
	PeakMemoryOf string `json:"peak_memory_of,omitempty"` // PeakOfLength or PeakOfProcess
}

// Cost is what measuring speed without a task adds: the work that the model
// demands, by count, and what the machine could do. FLOPs are two for each
// multiply-add of the model's matrix products (graph.MatrixFLOPs). Bytes are what must move at
// least: in every run the weights and the state once in, new state and logits
// once out, and not what else an engine moves.
type Cost struct {
	Chunk     int `json:"chunk"`      // tokens of each row that one run reads
	NewTokens int `json:"new_tokens"` // tokens of each row generated after the Length first ones

	PrefillFLOPs float64 `json:"prefill_flops"` // reading Length tokens of every row
	PrefillBytes float64 `json:"prefill_bytes"`
	DecodeFLOPs  float64 `json:"decode_flops"` // one more token of every row, in the middle of NewTokens
	DecodeBytes  float64 `json:"decode_bytes"`

	PrefillTokensPerSecond   float64 `json:"prefill_tokens_per_second"`              // of the median prefill
	PrefillTokensPerSecondSD float64 `json:"prefill_tokens_per_second_sd,omitempty"` // over the repeats; absent for one
	DecodeTokensPerSecond    float64 `json:"decode_tokens_per_second"`               // of the median step
	DecodeTokensPerSecondSD  float64 `json:"decode_tokens_per_second_sd,omitempty"`

	// What this machine was measured to do, 0 where it was not.
	PeakFLOPS     float64 `json:"peak_flops_per_second,omitempty"`
	PeakBandwidth float64 `json:"peak_bytes_per_second,omitempty"`
	// The fraction of the roofline reached (Williams, Waterman and Patterson 2009,
	// Roofline): achieved FLOP/s over min(PeakFLOPS, PeakBandwidth · FLOPs/bytes);
	// absent without peaks. Data that a processor's caches hold can exceed 1.
	PrefillRoofline float64 `json:"prefill_roofline,omitempty"`
	DecodeRoofline  float64 `json:"decode_roofline,omitempty"`

	MemoryEstimate int64 `json:"memory_estimate_bytes,omitempty"` // what was expected beforehand
}

// What a standard deviation is taken over.
const (
	SDOfRepeats = "repeats"
	SDOfBatches = "batches"
)

// describe is what a row says of the model and where it ran.
func describe(c card.Card, e Environment) Row {
	trained := c.Trained
	if p := c.Pretrained; p != nil && p.DeclaredLength > 0 && trained.Max == 0 {
		trained = card.Lengths{Min: 1, Max: p.DeclaredLength}
	}
	return Row{
		Schema:        RowSchema,
		Environment:   e,
		Architecture:  c.Architecture,
		Encoding:      c.Name(),
		Intervention:  c.Intervention,
		Positions:     c.Positions,
		Profile:       c.Profile,
		DType:         c.DType,
		ConfigHash:    c.ConfigHash,
		TrainSeed:     c.Seed,
		DataSeed:      c.DataSeed,
		TrainSteps:    c.Steps,
		FittedStep:    c.FittedStep,
		TrainProvider: c.TrainProvider,
		TrainMin:      trained.Min,
		TrainMax:      trained.Max,
		Parameters:    c.Parameters,
	}
}
