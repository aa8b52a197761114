package eval

import "github.com/nopezoo/zoo/card"

// RowSchema is the version of Row's JSON form. Adding fields does not raise it.
const RowSchema = 1

// Row is the record of one model on one task at one length: one JSON line. Score
// and Speed are nil exactly when NA is true; their fields lie beside the others
// in JSON, and are absent then.
type Row struct {
	Schema int `json:"schema"`
	Environment

	Architecture string `json:"architecture"`
	Encoding     string `json:"encoding"`
	Positions    string `json:"positions"`
	Profile      string `json:"profile"`
	ConfigHash   string `json:"config_hash"`
	TrainSeed    uint64 `json:"train_seed"`
	TrainSteps   int    `json:"train_steps"`
	TrainMin     int    `json:"train_min"` // shortest and longest task length seen
	TrainMax     int    `json:"train_max"` // in training; 0 if never trained
	Parameters   int64  `json:"parameters"`

	Task        string `json:"task"`
	TaskVersion int    `json:"task_version"`
	Split       string `json:"split"`
	Whole       bool   `json:"whole,omitempty"` // nothing is held out at this length: training saw the same prompts (see task.Task.SplitAt)
	Length      int    `json:"length"`          // the task's measure, not tokens
	Seed        uint64 `json:"seed"`            // of the samples
	Batch       int    `json:"batch"`           // most sequences in one call

	NA     bool   `json:"na"` // the model or the split has nothing at this length
	Reason string `json:"reason,omitempty"`
	*Score
	*Speed
}

// Environment is what the caller knows of the model file and the machine.
type Environment struct {
	Model       string `json:"model"` // name in tables
	ModelSHA256 string `json:"model_sha256"`
	Provider    string `json:"provider"` // such as "cpu", "cuda", "native"
	Threads     int    `json:"threads"`
	Spinning    bool   `json:"spinning"` // whether idle threads spin
	Machine     string `json:"machine"`  // processor, and accelerator if used
	ORTVersion  string `json:"ort_version"`
	ToolVersion string `json:"tool_version"`
}

// Score is how right the answers are. Ratios lie in 0..1.
type Score struct {
	N                int      `json:"n"`        // samples
	Distinct         int      `json:"distinct"` // different prompts among them
	Correct          int      `json:"correct"`  // exact matches of the parsed answer
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
	Warmup          int     `json:"warmup"`            // batches run before, untimed
	TimedBatches    int     `json:"timed_batches"`     // batches that were timed
	TimedBatch      int     `json:"timed_batch"`       // sequences in each of them
	SequenceTokens  int     `json:"sequence_tokens"`   // longest prompt + target + end token
	PrefillMS       float64 `json:"prefill_ms"`        // median over batches of the time to the first token
	DecodeSteps     int     `json:"decode_steps"`      // steps after the first token; 0 leaves the next three 0
	DecodeP50MS     float64 `json:"decode_p50_ms"`     // per step of the whole batch
	DecodeP95MS     float64 `json:"decode_p95_ms"`     //
	DecodeP99MS     float64 `json:"decode_p99_ms"`     //
	GeneratedTokens int     `json:"generated_tokens"`  // by all sequences, end tokens included
	GenerateSeconds float64 `json:"generate_s"`        // prefill and decode
	TokensPerSecond float64 `json:"tokens_per_second"` // GeneratedTokens / GenerateSeconds
	PeakMemory      int64   `json:"peak_memory_bytes,omitempty"`
	PeakMemoryOf    string  `json:"peak_memory_of,omitempty"` // PeakOfLength or PeakOfProcess
}

// newRow fills in all that is known before measuring.
func newRow(c card.Card, cfg Config, length int) Row {
	return Row{
		Schema:       RowSchema,
		Environment:  cfg.Environment,
		Architecture: c.Architecture,
		Encoding:     c.Encoding,
		Positions:    c.Positions,
		Profile:      c.Profile,
		ConfigHash:   c.ConfigHash,
		TrainSeed:    c.Seed,
		TrainSteps:   c.Steps,
		TrainMin:     c.Trained.Min,
		TrainMax:     c.Trained.Max,
		Parameters:   c.Parameters,
		Task:         cfg.Task.Name,
		TaskVersion:  cfg.Task.Version,
		Split:        cfg.Split.String(),
		Whole:        cfg.Task.SplitAt(length, cfg.Split) != cfg.Split,
		Length:       length,
		Seed:         cfg.Seed,
		Batch:        cfg.Batch,
	}
}
