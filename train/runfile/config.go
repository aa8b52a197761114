// Package runfile reads and writes what a run's folder holds: the configuration and the
// checkpoints. Package train makes them; models are read from them without it.
package runfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/tokenizer"
)

// Config is everything that determines a run.
type Config struct {
	Model models.Config `json:"model"`
	Train Recipe        `json:"train"`
	// From has the weights that the run begins with, instead of random ones: it is a
	// second phase of training.
	From *Start `json:"from,omitempty"`
}

// Recipe is how a model is trained.
type Recipe struct {
	Task      string `json:"task"`                // a task with its options, or several with commas: a Data
	Lengths   string `json:"lengths"`             // "1..20", both ends included; of a Data one, or one for each task; "256..256" are windows of text
	Examples  int    `json:"examples,omitempty"`  // size of a fixed training set; 0: every example is new
	Tokenizer string `json:"tokenizer,omitempty"` // "word" (or empty), "char" or "byte"; of running text "byte" (or empty) or "bpe:2048"
	// Seed draws weights and dropout, and DataSeed samples and position ids; 0: Seed draws
	// these, too. It is left out of the stored configuration where both are one.
	Seed     uint64 `json:"seed"`
	DataSeed uint64 `json:"data_seed,omitempty"`

	Steps int `json:"steps"`
	Batch int `json:"batch"` // sequences in an update; with pool_steps, on average
	// An update may take several runs of the step graph, whose gradients add up: as
	// many as it takes for each to have at most MicroTokens tokens, padding included.
	MicroTokens int `json:"micro_tokens"` // 0: an update is one run
	// Steps whose sequences are sorted by length together, for runs of MicroTokens; 0:
	// each by itself.
	PoolSteps int `json:"pool_steps"`

	LR      float64 `json:"lr"`
	FinalLR float64 `json:"final_lr"`
	Warmup  int     `json:"warmup"` // steps
	// WarmupFrom "zero" gives the first update the learning rate 0, and "" lr/warmup
	// (see Recipe.rate). Left out where empty, as Dropout is.
	WarmupFrom  string  `json:"warmup_from,omitempty"`
	WeightDecay float64 `json:"weight_decay"`
	Beta1       float64 `json:"beta1"`
	Beta2       float64 `json:"beta2"`
	Eps         float64 `json:"eps"`
	Clip        float64 `json:"clip"` // global gradient norm; 0: no clipping
	// Dropout is the probability with which an activation is set to 0 in training,
	// in steps of 1/65536; see models.Mode for the places. Left out of the stored
	// configuration at 0, so that the hash of a run without it stays what it was.
	Dropout float64 `json:"dropout,omitempty"`

	// Positions says what position ids a training sequence has: "plain" (0, 1, 2, …),
	// "offset" (the same from a random number on) or "randomized" (a sorted random choice),
	// new ones for each sequence. MaxPosition is the number that they are below; 0: 512, or
	// where the encoding ends before. Trained models are fed plain ones. Left out of the stored
	// configuration where they are plain, as Dropout is at 0.
	Positions   string `json:"positions,omitempty"`
	MaxPosition int    `json:"max_position,omitempty"`

	CheckpointEvery int `json:"checkpoint_every"` // steps
	KeepCheckpoints int `json:"keep_checkpoints"`
	// Bits depend on the threads. 0 stands for one per processor of the machine where
	// the run begins: New settles it. Runs of earlier versions have it stored.
	Threads int `json:"threads"`
	// Lanes is how many runs of an update go side by side, sharing the threads; each
	// takes memory for its activations and gradients. 0: two, where an update may take
	// several runs and there are two threads, but one for windows of more than 1,024 tokens. Bits depend on it, but 0 stays: what it
	// stands for follows from the other settings. Where memory is short when the run
	// begins it becomes 1 (see train.Prepare). Left out at 0, as Dropout is.
	Lanes int `json:"lanes,omitempty"`

	// Evaluation while training. Left out of the stored configuration at 0, as
	// Dropout is.
	EvalEvery   int `json:"eval_every,omitempty"`   // steps; 0: none
	EvalSamples int `json:"eval_samples,omitempty"` // at each length; 0: 64
	// As task.ParseLengths reads them; "": ten trained ones, and up to twice the longest.
	// See task.Task.SplitFor for longer ones that are not evaluated.
	EvalLengths string `json:"eval_lengths,omitempty"`
	// Evaluations in a row without a mistake at trained lengths; 0: never.
	StopAfterPerfect int `json:"stop_after_perfect,omitempty"`
}

// mostSequences bounds what a run holds in memory one by one: more is a slip, and an
// allocation that fails would end the program without a word. What fits a machine is
// less; see EstimateCost.
const mostSequences = 1<<31 - 1

// check reports the first value that cannot be.
func (r Recipe) check() error {
	for _, f := range []struct {
		key   string
		value int
		min   int
	}{
		{"examples", r.Examples, 0}, {"steps", r.Steps, 1}, {"batch", r.Batch, 1},
		{"micro_tokens", r.MicroTokens, 0}, {"pool_steps", r.PoolSteps, 0}, {"warmup", r.Warmup, 0},
		{"checkpoint_every", r.CheckpointEvery, 1}, {"keep_checkpoints", r.KeepCheckpoints, 1},
		{"threads", r.Threads, 0}, {"lanes", r.Lanes, 0}, {"max_position", r.MaxPosition, 0},
		{"eval_every", r.EvalEvery, 0}, {"eval_samples", r.EvalSamples, 0},
		{"stop_after_perfect", r.StopAfterPerfect, 0},
	} {
		if f.value < f.min {
			return fmt.Errorf("train.%s %d: want at least %d", f.key, f.value, f.min)
		}
	}
	for key, n := range map[string]int{
		"examples": r.Examples, "batch": r.Batch, "pool_steps": r.PoolSteps, "eval_samples": r.EvalSamples,
	} {
		if n > mostSequences {
			return fmt.Errorf("train.%s %d: want at most %d; each takes memory", key, n, mostSequences)
		}
	}
	if r.PoolSteps > 1 && r.MicroTokens == 0 {
		return fmt.Errorf("train.pool_steps %d: needs train.micro_tokens, since a step that is one run "+
			"would have sequences of one length; set it too, or train.pool_steps=0", r.PoolSteps)
	}
	for _, f := range []struct {
		key        string
		value      float64
		below, max float64
	}{
		{"lr", r.LR, 0, 1}, {"eps", r.Eps, 0, 1}, {"final_lr", r.FinalLR, -1, 1},
		{"weight_decay", r.WeightDecay, -1, 1}, {"clip", r.Clip, -1, 1e9}, {"dropout", r.Dropout, -1, 0.95},
		{"beta1", r.Beta1, -1, 0.9999999}, {"beta2", r.Beta2, -1, 0.9999999},
	} {
		if !(f.value > f.below && f.value <= f.max) || f.value < 0 {
			return fmt.Errorf("train.%s %v: out of range", f.key, f.value)
		}
	}
	if r.WarmupFrom != "" && r.WarmupFrom != "zero" {
		return fmt.Errorf("train.warmup_from %q: want zero, or nothing", r.WarmupFrom)
	}
	if r.Dropout > 0 && r.Dropout < 1e-4 {
		return fmt.Errorf("train.dropout %v: want 0 or at least 1e-4", r.Dropout)
	}
	return nil
}

// seeds are the seeds of the run.
func (r Recipe) seeds() card.Seeds { return card.Seeds{Weights: r.Seed, Data: r.DataSeed} }

// Resolve fills in what follows from other values (the vocabulary from the task, defaults
// of the model, what it fits to its data) and checks the rest. The error names
// key and value.
func (c Config) Resolve() (Config, error) {
	if err := cmp.Or(c.Train.check(), c.From.check()); err != nil {
		return c, err
	}
	d, err := c.Data()
	if err != nil {
		return c, err
	}
	c.Train.Task, c.Train.Lengths = task.Names(d.Tasks), d.Ranges
	if err := c.resolveEvaluation(d); err != nil {
		return c, err
	}
	if c.Train.Tokenizer == tokenizer.Words || d.Text && c.Train.Tokenizer == tokenizer.Bytes {
		c.Train.Tokenizer = "" // one way to write a configuration, one hash
	}
	if c.Train.DataSeed == c.Train.Seed {
		c.Train.DataSeed = 0
	}
	if n := len(d.Pieces); c.Model.VocabSize == 0 {
		c.Model.VocabSize = n
	} else if c.Model.VocabSize < n {
		return c, fmt.Errorf("model.vocab_size %d: task %s has %d tokens", c.Model.VocabSize, c.Train.Task, n)
	}
	if c.Model, err = c.Model.Fit(d.fitted); err != nil {
		return c, fmt.Errorf("model: %w", err)
	}
	return c, c.resolvePositions()
}

// Renew fills in the defaults of new configurations where settings that are absent have an
// older meaning in stored ones (see models.Config.Renew). The configuration must be resolved.
func (c Config) Renew() (Config, error) {
	d, err := c.Data()
	if err != nil {
		return c, err
	}
	if c.Model, err = c.Model.Renew(d.fitted); err != nil {
		return c, fmt.Errorf("model: %w", err)
	}
	return c, nil
}

// Settled fills in what a run that has begun has settled, train.threads and train.lanes,
// where c leaves it open.
func (c Config) Settled(was Config) Config {
	c.Train.Threads, c.Train.Lanes = cmp.Or(c.Train.Threads, was.Train.Threads), cmp.Or(c.Train.Lanes, was.Train.Lanes)
	return c
}

// name returns the usual name of the run's directory, where the configuration started from
// the preset: task, encoding (or the architecture that has none), preset and seeds. A second
// phase has the name of the first, and of its change, in the place of task and preset.
func (c Config) name(preset string) string {
	if c.From != nil {
		return fmt.Sprintf("%s-%s-s%v", c.From.name(), c.Model.Name(), c.Train.seeds())
	}
	tasks, _ := task.Label(c.Train.Task) // a name that is none is refused elsewhere
	return fmt.Sprintf("%s-%s-%s-s%v", tasks, c.Model.Name(), preset, c.Train.seeds())
}

// Dir returns the usual directory of the run below folder, where the configuration started from a preset, whose name may
// have values added. The directory's name has the rule of the tokenizer, too, where that is not the default and
// none of those values. A run that began before names had the rule keeps its directory.
func (c Config) Dir(folder, preset string, tokenizerNamed bool) string {
	before := filepath.Join(folder, c.name(preset))
	if c.Train.Tokenizer == "" || tokenizerNamed {
		return before
	}
	if was, err := ReadConfig(before); err == nil && was.Hash() == c.Settled(was).Hash() {
		return before
	}
	return filepath.Join(folder, c.name(preset+"-"+strings.ReplaceAll(c.Train.Tokenizer, ":", "")))
}

// Hash returns the SHA-256 of the configuration's JSON form, in hex. An architecture
// without encodings stands there in the encoding's place, as it did before it had a key
// of its own: runs of then keep their hash.
func (c Config) Hash() string {
	if c.Model.Encoding == "" {
		c.Model.Encoding, c.Model.Architecture = c.Model.Architecture, ""
	}
	data, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("train: a configuration does not marshal: %v", err)) // plain fields and checked JSON only
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
