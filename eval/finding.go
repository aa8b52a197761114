package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
)

// FindingSchema is the version of Finding's JSON form. Adding fields does not raise it.
const FindingSchema = 1

// What a finding is of.
const (
	FindAttention  = "attention"  // what one head attends to: Attention
	FindDivergence = "divergence" // how far the attention of two models is apart in a layer: Divergence
	FindProbe      = "probe"      // whether hidden states tell the position: Probe
	FindLogits     = "logits"     // how far one head's logits are content and distance: Logits
	FindCausal     = "causal"     // whether the position in hidden states is used: Causal
)

// findMeasures lists them.
func findMeasures() []string {
	return []string{FindAttention, FindDivergence, FindProbe, FindLogits, FindCausal}
}

// What the sequences of a finding are.
const (
	TaskTokens   = "task"   // prompts of the task with their right answers; queries are those that predict the answer
	RandomTokens = "random" // tokens of those prompts, each drawn anew for its place; queries are all but the first
)

// Constructed is the intervention of findings of a model whose weights were constructed, not trained.
const Constructed = "constructed"

// Finding is the record of what was seen within one model on sequences of one length: one
// JSON line. Of Attention, Divergence, Probe, Logits and Causal that which Measure names is there,
// unless NA is true.
type Finding struct {
	Schema  int    `json:"schema"`
	Measure string `json:"measure"` // one of FindAttention and its like

	Model        string `json:"model"` // name in tables
	Architecture string `json:"architecture"`
	Encoding     string `json:"encoding"`
	Intervention string `json:"intervention,omitempty"`
	ConfigHash   string `json:"config_hash"`
	TrainSeed    uint64 `json:"train_seed"`
	DataSeed     uint64 `json:"train_data_seed,omitempty"` // as in Row
	TrainSteps   int    `json:"train_steps"`
	TrainMin     int    `json:"train_min"`
	TrainMax     int    `json:"train_max"`
	ToolVersion  string `json:"tool_version"`

	Task        string `json:"task"`
	TaskVersion int    `json:"task_version"`
	Split       string `json:"split"`
	Whole       bool   `json:"whole,omitempty"`
	Length      int    `json:"length"` // the task's measure, not tokens
	Seed        uint64 `json:"seed"`   // of the samples
	Tokens      string `json:"tokens"` // TaskTokens or RandomTokens

	NA     bool   `json:"na"`
	Reason string `json:"reason,omitempty"`

	// Cell is one for findings that were made together, and for the same weights asked the same on the same sequences.
	// Together is how many they are. Older files have neither.
	Cell     string `json:"cell,omitempty"`
	Together int    `json:"together,omitempty"`

	N              int `json:"n"`               // sequences
	SequenceTokens int `json:"sequence_tokens"` // of the longest, without the last token, which is not read
	// Correct are those of N whose answer's tokens each have the greatest logit after the right
	// ones before: which greedy generation gets right, end token included. Absent for RandomTokens.
	Correct *int `json:"correct,omitempty"`
	// Layer counts from 0. Of Probe and Causal it is how many layers came before: 0 are the embeddings.
	Layer      int         `json:"layer"`
	Attention  *Attention  `json:"attention,omitempty"`
	Divergence *Divergence `json:"divergence,omitempty"`
	Probe      *Probe      `json:"probe,omitempty"`
	Logits     *LogitFit   `json:"logits,omitempty"`
	Causal     *Causal     `json:"causal,omitempty"`
}

// Attention says what one head attends to. Means are over the queries of all sequences.
type Attention struct {
	Head  int `json:"head"`  // counts from 0
	Heads int `json:"heads"` // of the layer
	// Mass is the mean sum of a query's weights: 1, but less with an attention sink or
	// stick-breaking without remainder. Distances and Entropy are of weights divided by their
	// sum, roles of the weights as they are.
	Mass float64 `json:"mass"`
	Distances
	// AtMistake is over the first query of each sequence whose greatest logit is that of
	// another token than the right one; absent where there is none.
	AtMistake *Distances `json:"at_mistake,omitempty"`
	// Roles are scores by the names of Roles.
	Roles map[string]Role `json:"roles"`
	// Label is the role that stands out most (see Role.Excess), or RoleMixed for none.
	Label string `json:"label"`
	// Positional is the share of the variance of the weights within a query's row that
	// the key's position explains, over sequences of equally many tokens: 1 where the weights
	// do not depend on what the tokens are, 0 where the mean over sequences is flat. It is
	// corrected for the number of sequences. Absent where no two have equally many.
	Positional *float64 `json:"positional,omitempty"`
	// Map are the weights of the shortest sequence, [queries][keys] over all its tokens: where
	// there are more than MapCells, neighbours share a cell, which has the mean over its queries
	// of the weight on its keys. Absent unless asked for.
	Map [][]float64 `json:"map,omitempty"`
}

// MapCells is how many rows and columns Attention.Map has at most, in equal numbers.
const MapCells = 48

// Distances says how far queries look back, in tokens: 0 is the query's own.
type Distances struct {
	Queries int     `json:"queries"`
	Mean    float64 `json:"distance"`
	P10     float64 `json:"distance_p10"` // of the weight of all queries together
	P50     float64 `json:"distance_p50"`
	P90     float64 `json:"distance_p90"`
	Entropy float64 `json:"entropy"` // nats, mean
	// The same of even attention to all that a query may see.
	EvenMean    float64 `json:"even_distance"`
	EvenEntropy float64 `json:"even_entropy"`
	// Local and Start are the shares of queries t whose greatest weight is at a key j with
	// (t−j)/(t+1) below 0.075 and above 0.825 (Kazemnejad et al. 2023, figure 5).
	Local float64 `json:"top_local"`
	Start float64 `json:"top_start"`
}

// Roles of a head. Scores are mean weights, but that of even attention.
const (
	RolePrevious  = "previous"  // on the token before
	RoleFirst     = "first"     // on the first token: a sink
	RoleDuplicate = "duplicate" // on earlier tokens equal to the query's
	RoleInduction = "induction" // on tokens that follow an earlier token equal to the query's (Olsson et al. 2022, arXiv 2209.11895)
	RoleOffset    = "offset"    // on the token at one fixed distance, the best one
	RolePosition  = "position"  // on the token at one fixed position, the best one
	RoleEven      = "even"      // 1 − total variation distance from even attention

	RoleMixed = "mixed" // a label alone: none of them
)

// Roles lists the roles in the order in which equal ones are preferred as a label.
func Roles() []string {
	return []string{RolePrevious, RoleFirst, RoleInduction, RoleDuplicate, RoleOffset, RolePosition, RoleEven}
}

// Role is the score of a head for a role, in 0..1, beside what the same head would have by chance.
type Role struct {
	Score float64 `json:"score"`
	// Null is the score of the null model. For previous, first, offset and position it is the
	// head whose weights are shuffled among the keys of each query; for duplicate and induction
	// the head's mean weights by position, over the other sequences, so that a match
	// which always stands at the same place counts for nothing; for even a query's weights drawn
	// evenly from all there are (Dirichlet with parameters 1).
	Null    float64 `json:"null"`
	Queries int     `json:"queries"`      // that could have it
	At      int     `json:"at,omitempty"` // the distance of offset, the position of position
}

// Excess is the score above the null model's, as a share of what could be above it; 0 where
// nothing could.
func (r Role) Excess() float64 {
	if r.Queries == 0 || r.Null >= 1-1e-9 {
		return 0
	}
	return (r.Score - r.Null) / (1 - r.Null)
}

// LabelExcess is the least Role.Excess that makes a label.
const LabelExcess = 0.3

// Divergence compares the attention of the finding's model with that of another, head by head
// in one layer: the least over pairs of heads of the mean over queries, and of those the mean
// over sequences, as Kazemnejad et al. 2023 do (appendix E). Weights are divided by
// their sum.
type Divergence struct {
	With     string `json:"with"` // the other model
	Encoding string `json:"with_encoding"`
	Seed     uint64 `json:"with_seed"`
	DataSeed uint64 `json:"with_data_seed,omitempty"` // 0: Seed
	// JensenShannon is ½KL(P‖M) + ½KL(Q‖M), M = ½(P+Q), in nats: at most ln 2.
	JensenShannon float64 `json:"js"`
	// Published is what the paper's figure shows, ½KL(M‖P) + ½KL(M‖Q) over the pairs whose other
	// head has the lower number: no Jensen-Shannon divergence, and without a bound.
	// Absent where a weight of 0 makes it infinite, or a layer has one head.
	Published *float64 `json:"js_published,omitempty"`
	// Null is JensenShannon with the other model's weights shuffled among the keys of each query.
	Null float64 `json:"js_null"`
}

// Probe says how well the position of a token can be read off hidden states by what is linear
// in them, fitted on other sequences of one length and tried at all.
type Probe struct {
	FitLength int `json:"fit_length"` // the task's measure, as Finding.Length
	FitStates int `json:"fit_states"`
	// R2 is 1 − (squared error)/(variance of the positions) of ridge regression, over all positions:
	// 1 where they are known exactly, 0 for the mean position, and less for worse.
	R2 float64 `json:"r2"`
	// Withheld is R2 over the positions at FitLength that were left out of the fit, every fourth;
	// absent at other lengths.
	Withheld  *float64 `json:"r2_withheld,omitempty"`
	MeanError float64  `json:"mean_error"` // of the regression, in tokens, absolute
	// Classified is the share of states whose position a ridge classifier names (regression on
	// one-hot positions, the greatest wins); those beyond FitLength's are wrong. Chance is one over
	// the positions at hand.
	Classified float64 `json:"classified"`
	Chance     float64 `json:"chance"`
}

// NewFinding describes a model and its sequences; what was found is the caller's. Of cfg it
// reads what Sequences does, and the model's name and tool version in Environment.
func NewFinding(c card.Card, cfg Config, at task.Span) Finding {
	r := newRow(c, cfg, at)
	return Finding{Schema: FindingSchema, Model: r.Model, Architecture: r.Architecture, Encoding: r.Encoding,
		Intervention: r.Intervention, ConfigHash: r.ConfigHash, TrainSeed: r.TrainSeed, DataSeed: r.DataSeed, TrainSteps: r.TrainSteps,
		TrainMin: r.TrainMin, TrainMax: r.TrainMax, ToolVersion: r.ToolVersion,
		Task: r.Task, TaskVersion: r.TaskVersion, Split: r.Split, Whole: r.Whole, Length: r.Length, Seed: r.Seed}
}

// TrainSeeds are those of the training run.
func (f *Finding) TrainSeeds() card.Seeds {
	return card.Seeds{Weights: f.TrainSeed, Data: f.DataSeed}
}

// findingJSON is a finding's JSON form.
type findingJSON struct {
	findingFields
	ScalingRamp string `json:"scaling_ramp,omitempty"` // see card.RampOf
}

// findingFields are a finding's without its methods.
type findingFields Finding

// MarshalJSON implements json.Marshaler.
func (f Finding) MarshalJSON() ([]byte, error) {
	return marshal(findingJSON{findingFields(f), card.RampOf(f.Intervention)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Finding) UnmarshalJSON(data []byte) error {
	j := findingJSON{findingFields: findingFields(*f)}
	err := json.Unmarshal(data, &j)
	*f = Finding(j.findingFields)
	f.Intervention = card.ReadIntervention(f.Intervention, j.ScalingRamp)
	return err
}

// WriteFindings writes each as one line of JSON.
func WriteFindings(w io.Writer, findings ...Finding) error {
	return writeLines(w, "finding", findings, func(f Finding) error { return f.check() })
}

// ReadFindings reads what WriteFindings wrote. Empty lines and unknown fields are skipped; a
// malformed line, or one of another schema, is an error with its number.
func ReadFindings(r io.Reader) ([]Finding, error) {
	return readLines(r, "findings", "finding", func(line []byte) (Finding, error) {
		var f Finding
		if err := json.Unmarshal(line, &f); err != nil {
			return f, err
		}
		return f, f.check()
	})
}

// HoldsFindings reports whether a file that begins so has findings in it, and not rows.
func HoldsFindings(beginning []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(beginning, " \r\n"), []byte("\n"))
	for _, measure := range findMeasures() {
		if bytes.Contains(line, fmt.Appendf(nil, `"measure":%q`, measure)) {
			return true
		}
	}
	return false
}

// check is what readers rely on.
func (f *Finding) check() error {
	switch {
	case f.Schema != FindingSchema:
		return fmt.Errorf("schema is %d, this program reads %d", f.Schema, FindingSchema)
	case !slices.Contains(findMeasures(), f.Measure):
		return fmt.Errorf("measure is %q, expected one of %s", f.Measure, strings.Join(findMeasures(), ", "))
	case f.Tokens != TaskTokens && f.Tokens != RandomTokens:
		return fmt.Errorf("tokens is %q, expected %q or %q", f.Tokens, TaskTokens, RandomTokens)
	case f.TrainMin < 0 || f.TrainMax < f.TrainMin:
		return fmt.Errorf("trained lengths are %d to %d, expected an ascending range, or 0 to 0 for none",
			f.TrainMin, f.TrainMax)
	case f.Length < 1 || f.Layer < 0:
		return fmt.Errorf("length is %d and layer %d, expected 1 or more and 0 or more", f.Length, f.Layer)
	case f.NA:
		return nil
	case (f.Attention == nil) != (f.Measure != FindAttention) || (f.Divergence == nil) != (f.Measure != FindDivergence) ||
		(f.Probe == nil) != (f.Measure != FindProbe) || (f.Logits == nil) != (f.Measure != FindLogits) ||
		(f.Causal == nil) != (f.Measure != FindCausal):
		return errors.New("what was found is missing, or not that of the measure")
	case f.Correct != nil && !possible(*f.Correct, f.N):
		return fmt.Errorf("%d correct of %d is impossible", *f.Correct, f.N)
	}
	switch {
	case f.Attention != nil:
		return f.Attention.check()
	case f.Logits != nil:
		return f.Logits.check()
	case f.Causal != nil:
		return f.Causal.check(f.N)
	}
	if p := f.Probe; p != nil {
		if !(p.R2 <= 1+1e-9 && p.R2 >= -mostOfAnything && possible(int(1000*p.Classified), 1000)) {
			return fmt.Errorf("r2 is %g and classified %g, expected at most 1, and 0 to 1", p.R2, p.Classified)
		}
		return nil
	}
	if d := f.Divergence; !(d.JensenShannon >= 0 && d.JensenShannon <= math.Ln2+1e-6) {
		return fmt.Errorf("js is %g, expected 0 to ln 2", d.JensenShannon)
	}
	return nil
}

func (a *Attention) check() error {
	if a.Head < 0 || a.Head >= a.Heads {
		return fmt.Errorf("head is %d of %d", a.Head, a.Heads)
	}
	if !(a.Mean >= 0 && a.Mean <= mostOfAnything && a.Entropy >= 0 && a.Entropy <= mostOfAnything) {
		return fmt.Errorf("distance is %g and entropy %g, expected numbers from 0 on", a.Mean, a.Entropy)
	}
	if len(a.Map) > MapCells {
		return fmt.Errorf("map has %d rows, expected at most %d", len(a.Map), MapCells)
	}
	for _, row := range a.Map {
		if len(row) > MapCells {
			return fmt.Errorf("map has %d columns, expected at most %d", len(row), MapCells)
		}
	}
	return nil
}
