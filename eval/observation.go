package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
)

// ObservationSchema is the version of Observation's JSON form. Adding fields or numbers does not raise it. Files of schema 1,
// where each measure had a form of its own, are still read.
const ObservationSchema = 2

// What an observation measures, and its numbers. Numbers without a unit are shares or R² (1 − squared error / variance: 1 is
// exact, 0 is the mean's, and worse is less). [c] marks a number that Control has too.
const (
	// MeasureAttention is what one head attends to, as means over queries:
	//   - mass: the sum of a query's weights: less than 1 with a sink, or stick-breaking without remainder
	//   - queries, distance [c], distance_p10, _p50, _p90 and entropy [c]: how far queries look back, in tokens, and nats, of weights
	//     divided by their sum. Control: even attention to all that a query may see
	//   - top_local, top_start: queries t whose greatest weight is at a key j with (t−j)/(t+1) below 0.075 and above 0.825
	//     (Kazemnejad et al. 2023, figure 5)
	//   - mistake_queries and so on: the same over the first query of each sequence that predicts a wrong token; absent for none
	//   - each of Role* [c]: the mean weight, absent where no query could have it, and its queries. Control: the weights shuffled
	//     among the keys of each query; for duplicate and induction the head's mean weights by position, over the other
	//     sequences; for even weights drawn evenly (Dirichlet with parameters 1)
	//   - offset_at, position_at: the best distance and position
	//   - positional: the share of the variance of the weights within a query's row that the key's position explains, over
	//     sequences of equally many tokens; absent where no two have that
	//   - correct: sequences with the greatest logit for every token of the answer; absent for RandomTokens
	// Series, where asked for, are the weights of the shortest sequence, queries by keys; in long ones neighbours share a cell.
	MeasureAttention = "attention"
	// MeasureDivergence is how far the attention of With is apart in a layer, in nats: for each sequence the least over pairs of
	// heads of the mean over queries (Kazemnejad et al. 2023, appendix E), of weights divided by their sum:
	//   - js [c]: ½KL(P‖M) + ½KL(Q‖M), M = ½(P+Q). Control: With's weights shuffled among the keys of each query
	//   - js_published: what the paper's figure shows, ½KL(M‖P) + ½KL(M‖Q) over pairs whose other head has the lower number;
	//     absent where a weight of 0 makes it infinite, or a layer has one head
	MeasureDivergence = "divergence"
	// MeasureProbe is how well ridge regression reads positions off hidden states, fitted on other sequences of one length:
	//   - fit_length (as Length), fit_states
	//   - r2, mean_error (tokens), and r2_withheld: over the positions left out of the fit, every fourth; absent at other lengths
	//   - classified [c]: states whose position a ridge classifier names. Control: one over the positions
	//   - mixed_states, r2_mixed: of a regression fitted on sequences of several lengths up to fit_length; older files lack them
	MeasureProbe = "probe"
	// MeasureLogits is how much of a head's attention logits is content, distance and the key's place: the logit of query t and key j
	// is fitted as a(t) + c(token t, token j) + f(t−j) + g(j), with some of the last three terms, by least squares on one half of
	// the sequences, and tried on the other, less each query's mean. A straight line is one of f and of g alike:
	//   - pairs: of a query and a key that the fit was tried on
	//   - sd: of a query's logits, in nats; where it is 0 every R² is
	//   - r2_distance: of a + f; r2_place: of a + g; r2_positions: of a + f + g; r2_content: of a + c; r2_both [c]: of a + c + f
	//     (Kazemnejad et al. 2023, theorem 2); r2_content_place: of a + c + g. Control: logits shuffled among the keys of each query
	//   - tv_distance and so on: the mean total variation distance between the attention that the logits give, without the first
	//     key, and the attention that the fit gives; tv_even: and even attention. Older files lack these, and r2_place and so on
	//   - slope, r2_straight: how much the straight line nearest to f in r2_both falls with a token, in nats, and its R², without
	//     distance 0
	// Series is f, from distance 0 on, where it is 0.
	MeasureLogits = "logits"
	// MeasureCausal is what becomes of the task without what probes read, and with other places. Directions are taken from hidden
	// states, each of a ridge regression fitted without those before, 16 of them:
	//   - fit_length, fit_states, directions, r2, r2_after: of the first regression, and of one after all were taken
	//   - variance [c], shuffled_variance: of the states along the directions, summed. Control: as many random directions, each with
	//     the variance of one of those; the mean of several draws
	//   - tokens: of the answers, end tokens included
	//   - before_, ablated_ [c], shuffled_, each with _correct and _tokens: sequences without a mistake, and tokens with the greatest
	//     logit after the right ones: unchanged; with the mean over the states fitted on along the directions; and along as many
	//     directions of probes of shuffled positions. Control: along the random directions. Of controls the mean of several draws,
	//     and with _least_tokens and _most_tokens the least and the greatest of them
	//   - patched_queries [c], patched_moved [c], patched_kept [c]: queries to which the step from their place's mean state to the
	//     next one's is added; those that predict what is right at the next query, and at their own. Control: the difference of two
	//     means of one place, over half of the sequences each, as long as the step
	//   - swapped_, far_ [c], each with queries, moved and kept: where answers are copied, the same of queries of which the key to copy
	//     and the next one, or one six places on, change places so. reversed_: the next key's, with the step backwards
	//   - step, place: mean squared length of steps to the next key's place, and an estimate without bias of what of it is the place's
	//     and not of the tokens of the means' sequences
	//
	// The regression is fitted on sequences of several lengths; in older files on those of one, and controls are one draw. Older
	// files have steps between means of fewer sequences, and random ones beside them, or took directions until a regression read half
	// as much, and gave a query the next one's component along the directions (patched_). The oldest have patched_correct and
	// patched_tokens, with another token's component in all states; their controls moved states as far in random directions.
	MeasureCausal = "causal"
)

// Kinds of an observation's tokens.
const (
	TaskTokens   = "task"   // prompts of the task with their right answers; queries are those that predict the answer
	RandomTokens = "random" // tokens of those prompts, each drawn anew for its place; queries are all but the first
)

// Constructed is the intervention of a model whose weights were constructed, not trained.
const Constructed = "constructed"

// Roles of a head: where the mean weight lies.
const (
	RolePrevious  = "previous"  // on the token before
	RoleFirst     = "first"     // on the first token: a sink
	RoleDuplicate = "duplicate" // on earlier tokens equal to the query's
	RoleInduction = "induction" // on tokens after an earlier one equal to the query's (Olsson et al. 2022, arXiv 2209.11895)
	RoleOffset    = "offset"    // on the token at one distance, the best one that half of the queries see
	RolePosition  = "position"  // on the token at one position, the best one that half of the queries see
	RoleEven      = "even"      // 1 − total variation distance from even attention
)

// Observation is what was seen at one place within one model, on sequences of one length: one JSON line.
type Observation struct {
	Schema  int    `json:"schema"`
	Measure string `json:"measure"` // MeasureAttention or another above

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

	NA     bool   `json:"na"` // there are no numbers
	Reason string `json:"reason,omitempty"`

	// Cell is one for observations that were made together, and for the same weights asked the same on the same sequences;
	// Together is how many they are. Older files have neither.
	Cell     string `json:"cell,omitempty"`
	Together int    `json:"together,omitempty"`

	N              int `json:"n"`               // sequences
	SequenceTokens int `json:"sequence_tokens"` // of the longest, without the last token, which is not read

	Layer int `json:"layer"` // counts from 0; for MeasureProbe and MeasureCausal how many layers came before
	Head  int `json:"head"`  // counts from 0
	Heads int `json:"heads"` // of the layer; 0 for an observation of the whole layer

	// The other model of MeasureDivergence; WithDataSeed 0 is WithSeed.
	With         string `json:"with,omitempty"`
	WithEncoding string `json:"with_encoding,omitempty"`
	WithSeed     uint64 `json:"with_seed,omitempty"`
	WithDataSeed uint64 `json:"with_data_seed,omitempty"`

	Values  map[string]float64 `json:"values,omitempty"`  // see the measure
	Control map[string]float64 `json:"control,omitempty"` // the same numbers without what they are to show
	Series  [][]float64        `json:"series,omitempty"`  // see the measure
}

// NewObservation describes a model and its sequences. It reads cfg as Sequences does, and the model's name and tool version in
// Environment.
func NewObservation(c card.Card, cfg Config, at task.Span) Observation {
	r := cfg.row(c, at)
	return Observation{Schema: ObservationSchema, Model: r.Model, Architecture: r.Architecture, Encoding: r.Encoding,
		Intervention: r.Intervention, ConfigHash: r.ConfigHash, TrainSeed: r.TrainSeed, DataSeed: r.DataSeed, TrainSteps: r.TrainSteps,
		TrainMin: r.TrainMin, TrainMax: r.TrainMax, ToolVersion: r.ToolVersion,
		Task: r.Task, TaskVersion: r.TaskVersion, Split: r.Split, Whole: r.Whole, Length: r.Length, Seed: r.Seed}
}

// readObservations reads what Write wrote, and lines of schema 1. Empty lines and unknown fields are skipped; a
// malformed line, or one of another schema, is an error with its number.
func readObservations(r io.Reader) ([]Observation, error) {
	return readLines(r, "observations", "observation", func(line []byte) (Observation, error) {
		var o Observation
		if err := json.Unmarshal(line, &o); err != nil {
			return o, err
		}
		if o.Schema == 1 {
			if err := o.readSchema1(line); err != nil {
				return o, err
			}
		}
		return o, o.check()
	})
}

// holdsObservations reports whether a file that begins so has observations in it, and not rows.
func holdsObservations(beginning []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(beginning, " \r\n"), []byte("\n"))
	for measure := range observed {
		if bytes.Contains(line, fmt.Appendf(nil, `"measure":%q`, measure)) {
			return true
		}
	}
	return false
}

// bounds are what readers rely on of a number that is always there.
type bounds struct {
	name        string
	least, most float64
}

func r2(name string) bounds    { return bounds{name, -mostOfAnything, 1 + 1e-9} }
func count(name string) bounds { return bounds{name, 0, mostOfAnything} }

// observed are the numbers that each measure always has.
var observed = map[string][]bounds{
	MeasureAttention:  {count("distance"), count("entropy")},
	MeasureDivergence: {{"js", 0, math.Ln2 + 1e-6}},
	MeasureProbe:      {r2("r2"), {"classified", 0, 1}},
	MeasureLogits:     {r2("r2_distance"), r2("r2_content"), r2("r2_both"), count("sd")},
	MeasureCausal:     {r2("r2"), r2("r2_after"), count("directions"), count("tokens"), count("before_tokens"), count("ablated_tokens")},
}

// Bounds of Observation.Series, in numbers, and of layers and heads.
const (
	maxSeries = 1 << 16
	maxPlaces = 1 << 12
)

// check is what readers rely on.
func (o *Observation) check() error {
	needed, known := observed[o.Measure]
	switch {
	case o.Schema != ObservationSchema:
		return fmt.Errorf("schema is %d, this program reads 1 and %d", o.Schema, ObservationSchema)
	case !known:
		return fmt.Errorf("measure is %q, expected one of %s", o.Measure, strings.Join(slices.Sorted(maps.Keys(observed)), ", "))
	case o.Tokens != TaskTokens && o.Tokens != RandomTokens:
		return fmt.Errorf("tokens is %q, expected %q or %q", o.Tokens, TaskTokens, RandomTokens)
	case o.TrainMin < 0 || o.TrainMax < o.TrainMin:
		return fmt.Errorf("trained lengths are %d to %d, expected an ascending range, or 0 to 0 for none",
			o.TrainMin, o.TrainMax)
	case o.Length < 1 || o.Layer < 0 || o.Layer > maxPlaces:
		return fmt.Errorf("length is %d and layer %d, expected 1 or more and 0 to %d", o.Length, o.Layer, maxPlaces)
	case o.NA:
		return nil
	case o.Head < 0 || o.Head > 0 && o.Head >= o.Heads || o.Heads < 1 && (o.Measure == MeasureAttention || o.Measure == MeasureLogits):
		return fmt.Errorf("head is %d of %d", o.Head, o.Heads)
	case o.Heads > maxPlaces:
		return fmt.Errorf("heads are %d, expected at most %d", o.Heads, maxPlaces)
	}
	for _, b := range needed {
		v, there := o.Values[b.name]
		if !there {
			return fmt.Errorf("%s is missing", b.name)
		}
		if !(v >= b.least && v <= b.most) {
			return fmt.Errorf("%s is %g, expected a number from %g to %g", b.name, v, b.least, b.most)
		}
	}
	for _, numbers := range []map[string]float64{o.Values, o.Control} {
		for name, v := range numbers {
			if err := o.checkNumber(name, v); err != nil {
				return err
			}
		}
	}
	return o.checkSeries()
}

// checkNumber wants a number, of sequences and tokens no more than there are.
func (o *Observation) checkNumber(name string, v float64) error {
	all := mostOfAnything
	switch {
	case strings.HasSuffix(name, "correct"):
		all = float64(o.N)
	case strings.HasSuffix(name, "_tokens"):
		all = o.Values["tokens"]
	case strings.HasSuffix(name, "_moved"), strings.HasSuffix(name, "_kept"):
		all = o.Values[name[:strings.LastIndexByte(name, '_')]+"_queries"]
	default:
		if !(math.Abs(v) <= mostOfAnything) {
			return fmt.Errorf("%s is %g, expected a number", name, v)
		}
		return nil
	}
	if !(v >= 0 && v <= all) {
		return fmt.Errorf("%s is %g of %g, which is impossible", name, v, all)
	}
	return nil
}

func (o *Observation) checkSeries() error {
	size := 0
	for _, row := range o.Series {
		size += len(row)
		for _, v := range row {
			if !(math.Abs(v) <= mostOfAnything) {
				return fmt.Errorf("series has %g, expected numbers", v)
			}
		}
	}
	if size > maxSeries {
		return fmt.Errorf("series has %d numbers, expected at most %d", size, maxSeries)
	}
	return nil
}
