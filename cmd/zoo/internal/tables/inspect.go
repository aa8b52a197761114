package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
	"github.com/nopezoo/zoo/zoo/verify"
)

// Foreign is what is known of a file that another program wrote.
type Foreign struct {
	Problem     string   `json:"problem,omitempty"` // why the file cannot be run; nothing else is said then
	Kind        string   `json:"kind,omitempty"`    // such as "llama", where it is known
	States      []string `json:"states,omitempty"`  // "past_key_values.0.key float32[batch,8,past,64] to present.0.key"
	MaxLength   int      `json:"max_length,omitempty"`
	Vocabulary  int      `json:"vocabulary,omitempty"`
	Padding     bool     `json:"padding"` // rows of different lengths run together
	Ends        []int64  `json:"end_tokens,omitempty"`
	NoTokenizer string   `json:"no_tokenizer,omitempty"`
	Warnings    []string `json:"warnings,omitempty"` // see foreign.Model
}

// DescribeForeign puts together what foreign.Describe returns.
func DescribeForeign(m foreign.Model, err error) *Foreign {
	if err != nil {
		return &Foreign{Problem: err.Error()}
	}
	f := &Foreign{Kind: m.Card.Architecture, MaxLength: m.Card.MaxLength, Vocabulary: m.Contract.Vocab,
		Padding: m.Contract.Mask >= 0 && !m.Contract.Unpadded, Ends: m.Ends, NoTokenizer: m.NoWords, Warnings: m.Warnings}
	for _, s := range m.Card.State {
		f.States = append(f.States, s.Input().String()+" to "+s.Present)
	}
	return f
}

// File describes an ONNX file, and without a card how it runs.
func File(name string, r export.Report, other *Foreign) [][]string {
	lines := [][]string{
		{"file", fmt.Sprintf("%s (%s)", name, human.Bytes(int64(r.Bytes)))},
		{"format", fmt.Sprintf("ONNX, IR version %d, opset %d, written by %s",
			r.IRVersion, r.Opset, cmp.Or(r.Producer, "an unnamed program"))},
	}
	add := func(name, text string) { lines = append(lines, []string{name, text}) }
	for _, domain := range slices.Sorted(maps.Keys(r.Domains)) {
		add("domain", fmt.Sprintf("%s, opset %d", domain, r.Domains[domain]))
	}
	add("weights", fmt.Sprintf("%s, %s", human.Plural(r.Initializers, "tensor", "tensors"), human.Bytes(r.InitializerBytes)))
	add("operators", fmt.Sprintf("%d: %s", r.Nodes, histogram(r.Ops)))
	lines = append(lines, foldedRows("input", r.Inputs)...)
	lines = append(lines, foldedRows("output", r.Outputs)...)
	if r.Difference != nil {
		add("beside float32", difference(*r.Difference))
	}
	for _, key := range slices.Sorted(maps.Keys(r.Metadata)) {
		add(key, clip(r.Metadata[key], 64))
	}
	if r.CardProblem != "" {
		add("no card", r.CardProblem)
	}
	if other != nil {
		lines = append(lines, others(*other)...)
	}
	if r.SafetyProblem != "" {
		add("not safe", r.SafetyProblem)
	}
	pureGo := "yes"
	if r.ReadProblem != "" {
		pureGo = "no: " + r.ReadProblem
	}
	add("pure Go", pureGo)
	return lines
}

// others describes a file that another program wrote.
func others(r Foreign) (lines [][]string) {
	add := func(name, text string) { lines = append(lines, []string{name, text}) }
	if r.Problem != "" {
		add("runs", "no: "+r.Problem)
		return lines
	}
	add("runs", "as a decoder of another exporter, "+r.Kind)
	lines = append(lines, foldedRows("cache", r.States)...)
	limit := "no limit is known"
	if r.MaxLength > 0 {
		limit = fmt.Sprintf("at most %d", r.MaxLength)
	}
	add("tokens", fmt.Sprintf("%d in the vocabulary; of a sequence %s", r.Vocabulary, limit))
	if !r.Padding {
		add("batches", "rows of different lengths run one after the other: nothing tells the model where padding ends")
	}
	if len(r.Ends) > 0 {
		add("ends", fmt.Sprintf("texts end with the tokens %v", r.Ends))
	}
	add("tokenizer", cmp.Or(r.NoTokenizer, "tokenizer.json beside the file"))
	for _, w := range r.Warnings {
		add("warning", w)
	}
	return lines
}

// histogram lists operators with their counts, the most frequent first.
func histogram(ops map[string]int) string {
	list := slices.Sorted(maps.Keys(ops))
	slices.SortStableFunc(list, func(x, y string) int { return ops[y] - ops[x] })
	return strings.Join(lists.Map(list, func(op string) string { return fmt.Sprintf("%s %d", op, ops[op]) }), ", ")
}

// clip cuts a text of more characters than most, so that it says with fewer how many are left out. A hash has 64.
func clip(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	const more = 19 // for what is left out
	return string(r[:most-more]) + fmt.Sprintf("… (%d more)", len(r)-most+more)
}

// CheckpointInfo is what a checkpoint says, without weights.
type CheckpointInfo struct {
	Step       int            `json:"step"`                  // updates done
	FittedStep *int           `json:"fitted_step,omitempty"` // see runfile.Progress
	Loss       float64        `json:"loss"`                  // of the last step, nats per target token
	Parameters int            `json:"parameters"`
	ConfigHash string         `json:"config_hash"`
	Config     runfile.Config `json:"config"`
}

// DescribeCheckpoint describes a checkpoint to programs.
func DescribeCheckpoint(c *runfile.Checkpoint) CheckpointInfo {
	info := CheckpointInfo{Step: c.Step, FittedStep: c.Progress.Fitted, Loss: c.Loss, ConfigHash: c.Config.Hash(), Config: c.Config}
	for _, w := range c.Weights {
		info.Parameters += w.Len()
	}
	return info
}

// Checkpoint describes a checkpoint.
func Checkpoint(name string, c *runfile.Checkpoint) ([][]string, error) {
	info := DescribeCheckpoint(c)
	lines := [][]string{
		{"checkpoint", name},
		{"trained", fmt.Sprintf("%d of %s, loss %.4g", info.Step, human.Plural(info.Config.Train.Steps, "step", "steps"), info.Loss)},
	}
	fit, err := train.Fit(c)
	if err != nil {
		return nil, err
	}
	if fit != "" {
		lines = append(lines, []string{"fit", fit})
	}
	lines = append(lines, []string{"parameters", human.Count(float64(info.Parameters))})
	lines = append(lines, Settings(info.Config)...)
	for _, key := range slices.Sorted(maps.Keys(c.Weights)) {
		lines = append(lines, []string{"weight", fmt.Sprintf("%s %v", key, c.Weights[key].Shape())})
	}
	return lines, nil
}

// Settings lists the settings of a configuration.
func Settings(c runfile.Config) (lines [][]string) {
	for _, s := range configs.Settings(c) {
		lines = append(lines, []string{s.Key, s.Text})
	}
	if c.From != nil {
		lines = append(lines, []string{"from", c.From.String()})
	}
	return lines
}

// Verified says how a file was checked.
func Verified(f verify.File) string {
	how := "verified"
	for _, check := range f.Checks {
		if provider, ok := strings.CutPrefix(check, card.CheckParityOn); ok {
			how = "verified on " + provider
		}
	}
	switch {
	case len(f.Checks) == 0:
		return "not verified"
	case slices.Contains(f.Checks, card.CheckGo):
		how = "verified in pure Go alone, not in ONNX Runtime"
	case slices.Contains(f.Checks, card.CheckLooped):
		how = "verified against the file that is run step by step"
	}
	how = fmt.Sprintf("%s, worst error %.2g", how, f.Worst)
	if f.Difference != nil {
		how += "; beside float32: " + difference(*f.Difference)
	}
	return how
}

// difference says what differs: "logits by up to 0.031 (|Δ| / max(1, |logit|) up to 0.0042) on the prompts
// tried, in ONNX Runtime 1.29.0, cpu, which is no bound for others; exact match copy 20: 50 of 50, float32 50".
func difference(d card.Difference) string {
	text := fmt.Sprintf("logits by up to %.2g (|Δ| / max(1, |logit|) up to %.2g) on the prompts tried", d.Logit, d.Relative)
	if d.Engine != "" {
		text += ", in " + d.Engine
	}
	text += ", which is no bound for others"
	parts := lists.Map(d.Accuracy, func(a card.Accuracy) string {
		return fmt.Sprintf("%s %d: %d of %d, float32 %d", a.Task, a.Length, a.Correct, a.N, a.Float32)
	})
	if len(parts) > 0 {
		text += "; exact match " + strings.Join(parts, "; ")
	}
	if d.Bits != nil {
		text += fmt.Sprintf("; bits per byte of a text %.4f, float32 %.4f", *d.Bits, *d.BitsFloat32)
	}
	return text
}
