// Package foreign tells how decoder-only ONNX files of other programs are fed: by what
// their inputs and outputs say, and by the files next to them. To package
// runtime such a file is then like any other: a list of states, and how to carry them.
//
// The layout is the one that Optimum (also of the community's exports) and
// onnxruntime-genai's model builder write:
//
//	input_ids                      int64 or int32 [batch, sequence]
//	attention_mask                 the same [batch, past + sequence], optional
//	position_ids                   the same [batch, sequence], optional
//	num_logits_to_keep             the same, one number, optional
//	past_key_values.N.key, .value  float32 or float16 [batch, heads, past, width]
//	logits                         float32 or float16 [batch, sequence or kept, vocabulary]
//	present.N.key, .value          as the past, [batch, heads, past + sequence, width]
//
// The cache of a layer that sees a window (GroupQueryAttention with sliding_window_cache) has a fixed number
// of slots in place of past, the window's where the file does not say more, and present has as many.
//
// A cache may have its axes in another order, as long as the first one is the batch; a
// genai_config.json next to the file may name all of these otherwise. What is not of this
// layout is an error that names the file's input or output and what can be done.
//
// What else is known of a model comes from the files next to it, as far as they are there:
// config.json, generation_config.json, genai_config.json, and tokenizer.json, which package
// tokenizer/hf reads where a program links it.
package foreign

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/tokenizer"
)

// Model is what is known of a file.
type Model struct {
	Card     card.Card // card.Foreign, with the states
	Contract card.Contract
	Ends     []int64         // tokens that end a text; none where nothing says which
	Words    tokenizer.Coder // nil where there is none
	// NoWords says why there is no tokenizer; "" where there is.
	NoWords string
	// Warnings say in what the file does not compute what the files next to it describe.
	Warnings []string
}

// Describe returns how a validated file is fed: by the card that it holds, or else by its inputs and
// outputs and by what is next to it in a folder, nil for none: see Folder. Of this function's errors
// those for a file without a card that is no such decoder wrap card.ErrNoCard.
//
// beyond lets texts be longer than a pretrained model declares; where its table of positions ends there that is an error.
func Describe(f *safety.File, beside fs.FS, beyond bool) (Model, error) {
	d, err := describe(f, beside)
	if err == nil {
		err = d.limit(f.Proto.Graph, beyond)
	}
	return d, err
}

func describe(f *safety.File, beside fs.FS) (Model, error) {
	c, err := card.Parse(f.Metadata)
	if errors.Is(err, card.ErrNoCard) {
		return describeUnknown(f, beside)
	}
	if err != nil {
		return Model{}, err
	}
	k, err := c.Contract(f.Inputs, f.Outputs)
	d := Model{Card: c, Contract: k}
	if err == nil && c.Pretrained != nil {
		d.Ends = c.Pretrained.Ends
		err = d.readOwnWords(beside, c.Pretrained.TokenizerSHA256)
	}
	return d, err
}

// readOwnWords reads the tokenizer of a pretrained model, which stands beside its file and has the hash of its card.
func (d *Model) readOwnWords(beside fs.FS, hash string) error {
	if hash == "" {
		d.NoWords = "the model came without a tokenizer.json"
		return nil
	}
	if beside != nil {
		text, err := fs.ReadFile(beside, tokenizer.File)
		if err == nil && fmt.Sprintf("%x", sha256.Sum256(text)) != hash {
			return fmt.Errorf("the tokenizer.json beside the model file is not the one that belongs to it; put back the one with "+
				"the SHA-256 %s", hash)
		}
	}
	return d.readWords(beside)
}

// describeUnknown describes a file without a card.
func describeUnknown(f *safety.File, beside fs.FS) (Model, error) {
	s, err := readSettings(beside)
	if err != nil {
		return Model{}, err
	}
	d := Model{Card: card.Card{Architecture: cmp.Or(s.kind, card.Foreign), Positions: card.Contiguous,
		Profile: card.Foreign, Pretrained: &card.Pretrained{Family: s.kind, DeclaredLength: s.positions, Ends: s.ends}}}
	nodes := attentionOf(f.Proto.Graph)
	if d.Contract, err = layout(f, nodes, s, &d.Card); err != nil {
		return Model{}, fmt.Errorf("%w: the file was not written by zoo, and it does not have the layout of another "+
			"exporter's decoder: %w", card.ErrNoCard, err)
	}
	d.Ends = s.ends
	if lacks := s.window.lacking(nodes, s.positions); lacks != "" {
		d.Warnings = append(d.Warnings, lacks)
	}
	if err := d.readWords(beside); err != nil {
		return Model{}, err
	}
	for _, id := range d.Ends {
		if id < 0 || id >= int64(d.Contract.Vocab) {
			return Model{}, fmt.Errorf("the token that ends a text is %d, and the model has the tokens 0 to %d: "+
				"correct eos_token_id in the files beside it", id, d.Contract.Vocab-1)
		}
	}
	return d, nil
}

// readWords reads the tokenizer next to the file, if one is there.
func (d *Model) readWords(beside fs.FS) error {
	const remedy = `link its reader: import _ "github.com/nopezoo/zoo/tokenizer/hf"`
	if beside == nil {
		d.NoWords = "nothing is known to stand beside the model file; open it by its path, or set Options.Beside"
		return nil
	}
	library, err := tokenizer.Linked()
	if err != nil {
		if d.NoWords = "there is no tokenizer.json beside the model file"; exists(beside, tokenizer.File) {
			d.NoWords = "the program does not read tokenizer.json; " + remedy
		}
		return nil
	}
	words, ends, err := library.Read(beside)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.NoWords = "there is no tokenizer.json beside the model file"
		return nil
	case err != nil:
		return err
	}
	d.Words = words
	if len(d.Ends) == 0 {
		d.Ends = ends
	}
	return nil
}

// layout finds what a model reads and gives, and fills in the states and the contract.
func layout(f *safety.File, nodes attention, s settings, c *card.Card) (card.Contract, error) {
	given := f.Inputs
	inputs, outputs := slices.Clone(f.Inputs), slices.Clone(f.Outputs) // in zoo's words
	for _, p := range []struct {
		standard card.Port
		named    []string
		ports    []card.Port
	}{
		{card.InputIDs, []string{s.names.InputIDs}, inputs},
		{card.AttentionMask, []string{s.names.AttentionMask}, inputs},
		{card.PositionIDs, []string{s.names.PositionIDs}, inputs},
		{card.LogitsToKeep, []string{"num_logits_to_keep"}, inputs},
		{card.Logits, []string{s.out.Logits}, outputs},
	} {
		if err := rename(p.standard, p.named, p.ports); err != nil {
			return card.Contract{}, err
		}
	}
	if err := fillVocabulary(outputs, s); err != nil {
		return card.Contract{}, err
	}
	for i, in := range inputs {
		if isStandard(in.Name) {
			continue
		}
		state, err := stateOf(in, outputs, s, nodes.slots[in.Name])
		if err != nil {
			return card.Contract{}, fmt.Errorf("input %v: %w", given[i], err)
		}
		c.State = append(c.State, state)
	}
	if len(c.State) == 0 {
		return card.Contract{}, withoutCaches(outputs)
	}
	k, err := c.Contract(inputs, outputs)
	if err != nil {
		return k, err
	}
	k.Inputs = given
	for i, out := range k.Outputs { // by the name in the file
		at := slices.IndexFunc(outputs, func(p card.Port) bool { return p.Name == out.Name })
		k.Outputs[i].Name = f.Outputs[at].Name
	}
	// Without position ids a model counts slots, padding's too. GroupQueryAttention takes from the
	// mask how many slots are filled, from the first one on, and so no padding before them.
	// ONNX Runtime's also refuses several new tokens of several rows that have a past.
	k.AtOnce = nodes.count > 0
	k.Unpadded = k.Positions < 0 || k.AtOnce
	return k, nil
}

// rename gives the port that stands for a standard one its name, and its axes where they are
// not lengths.
func rename(standard card.Port, others []string, ports []card.Port) error {
	names := append([]string{standard.Name}, others...)
	i := slices.IndexFunc(ports, func(p card.Port) bool { return slices.Contains(names, p.Name) })
	if i < 0 {
		return nil
	}
	p := &ports[i]
	if standard.Name == card.Kept && len(p.Shape) == 0 {
		p.Shape = []string{"1"} // one number has one element, as a list of one does
	}
	if len(p.Shape) != len(standard.Shape) {
		return fmt.Errorf("%v has %d axes; expected are %d, as in %v", *p, len(p.Shape), len(standard.Shape), standard)
	}
	types := []string{card.Int64, card.Int32}
	if standard.DType == card.Float32 {
		types = []string{card.Float32, card.Float16}
	}
	if !slices.Contains(types, p.DType) {
		return fmt.Errorf("%v has another element type than %s; export the model with one of these", *p, strings.Join(types, " and "))
	}
	shape := slices.Clone(standard.Shape)
	for axis, n := range p.Shape {
		if isLength(n) {
			shape[axis] = n
		}
	}
	p.Name, p.Shape = standard.Name, shape
	return nil
}

func isStandard(name string) bool {
	return slices.ContainsFunc([]card.Port{card.InputIDs, card.AttentionMask, card.PositionIDs, card.LogitsToKeep},
		func(p card.Port) bool { return p.Name == name })
}

func isLength(axis string) bool {
	_, err := strconv.Atoi(axis)
	return err == nil
}

// fillVocabulary sets the number of logits where the file does not say it.
func fillVocabulary(outputs []card.Port, s settings) error {
	i := slices.IndexFunc(outputs, func(p card.Port) bool { return p.Name == card.Logits.Name })
	if i < 0 || isLength(outputs[i].Shape[2]) {
		return nil
	}
	if s.vocabulary == 0 {
		return fmt.Errorf("output %v does not say how many logits there are; put the model's config.json, with "+
			"vocab_size, beside the file", outputs[i])
	}
	outputs[i].Shape[2] = strconv.Itoa(s.vocabulary)
	return nil
}

// stateOf describes the cache that an input is: of so many slots, or where that is 0 a growing one.
func stateOf(in card.Port, outputs []card.Port, s settings, slots int64) (card.State, error) {
	present, err := s.presentOf(in.Name, outputs)
	if err != nil {
		return card.State{}, err
	}
	state := card.State{Past: in.Name, Present: present, Kind: card.Growing, Shape: slices.Clone(in.Shape)}
	switch in.DType {
	case card.Float32:
	case card.Float16:
		state.DType = card.Float16
	default:
		return state, fmt.Errorf("a cache of %s is not supported, but of float32 and float16; "+
			"export the model in one of these", in.DType)
	}
	if len(in.Shape) < 3 || isLength(in.Shape[0]) {
		return state, errors.New("a cache has three axes or more, and the first of them is the batch, without a fixed length")
	}
	if strings.Contains(strings.ToLower(in.Shape[0]), "head") { // as of old exports of BLOOM
		return state, fmt.Errorf("its first axis is %q, of heads too, where a cache has the batch alone; "+
			"export the model with transformers 4.44 or later", in.Shape[0])
	}
	state.Shape[0] = card.Batch
	if len(in.Shape) == 4 && (!isLength(in.Shape[2]) || slots > 0) { // [batch, heads, past, width]
		if err := fill(&state.Shape[1], s.heads, "num_key_value_heads or num_attention_heads"); err != nil {
			return state, err
		}
		if err := fill(&state.Shape[3], s.width, "head_dim, or hidden_size and num_attention_heads"); err != nil {
			return state, err
		}
	}
	if slots > 0 {
		return state, keepWindow(&state, slots)
	}
	var open []int
	for i, axis := range state.Shape[1:] {
		if !isLength(axis) {
			open = append(open, i+1)
		}
	}
	if len(open) != 1 {
		return state, fmt.Errorf("one axis after the batch must count the tokens of the past, without a fixed length, "+
			"and %d are so; export the model with the past's length as a dynamic axis", len(open))
	}
	state.Axis = open[0]
	state.Shape[state.Axis] = card.Past
	return state, nil
}

// fill sets an axis without a length.
func fill(axis *string, n int, keys string) error {
	if isLength(*axis) {
		return nil
	}
	if n == 0 {
		return fmt.Errorf("axis %s has no fixed length; put the model's config.json, with %s, beside the file", *axis, keys)
	}
	*axis = strconv.Itoa(n)
	return nil
}

// presentOf returns the output that is the state after a call.
func (s settings) presentOf(past string, outputs []card.Port) (string, error) {
	if prefixed, ok := strings.CutPrefix(past, "encoder_"); ok || strings.HasPrefix(past, "decoder_") {
		return "", fmt.Errorf("the model is the decoder of a pair (%s); decoder-only models are supported", cmp.Or(prefixed, past))
	}
	if past == "use_cache_branch" {
		return "", errors.New("a merged decoder holds one graph for the first run and one for the others, and this chooses " +
			"between them; not supported: open the decoder_with_past_model.onnx that it was merged from, or export the " +
			"model anew with an Optimum that writes a single graph (1.14 or later)")
	}
	var candidates []string
	if layer, ok := match(s.names.PastKeys, past); ok {
		candidates = append(candidates, strings.Replace(s.out.PresentKeys, "%d", layer, 1))
	}
	if layer, ok := match(s.names.PastValues, past); ok {
		candidates = append(candidates, strings.Replace(s.out.PresentValues, "%d", layer, 1))
	}
	if rest, ok := strings.CutPrefix(past, "past_key_values"); ok {
		candidates = append(candidates, "present"+rest, "present_key_values"+rest)
	} else if rest, ok := strings.CutPrefix(past, "past"); ok {
		candidates = append(candidates, "present"+rest)
	}
	if len(candidates) == 0 {
		return "", errors.New("it is neither a standard one (input_ids, attention_mask, position_ids, num_logits_to_keep) " +
			"nor a cache (past_key_values.N.key); zoo does not know what to feed it: export the model without it")
	}
	for _, name := range candidates {
		if slices.ContainsFunc(outputs, func(p card.Port) bool { return p.Name == name }) {
			return name, nil
		}
	}
	return "", fmt.Errorf("the model has no output %s, the cache after a call; export it with its presents", candidates[0])
}

// match returns what stands in a name where a pattern has %d.
func match(pattern, name string) (string, bool) {
	before, after, ok := strings.Cut(pattern, "%d")
	if !ok || len(name) <= len(before)+len(after) || !strings.HasPrefix(name, before) || !strings.HasSuffix(name, after) {
		return "", false
	}
	return name[len(before) : len(name)-len(after)], true
}

// withoutCaches is the error for a model that takes no past.
func withoutCaches(outputs []card.Port) error {
	if slices.ContainsFunc(outputs, func(p card.Port) bool { return strings.HasPrefix(p.Name, "present") }) {
		return errors.New("it has outputs of caches and takes none (past_key_values.N.key): it is the part that reads prompts; " +
			"open the decoder_with_past_model.onnx, or export the model with its past (Optimum's task text-generation-with-past)")
	}
	return errors.New("it has no caches (inputs past_key_values.N.key, outputs present.N.key), so that each token would take a " +
		"run over all before it, which is not supported: export the model with its past (Optimum's task text-generation-with-past)")
}
