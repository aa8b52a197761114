package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/internal/jsontext"
	"github.com/nopezoo/zoo/runtime"
)

// request is the body of POST /v1/completions.
type request struct {
	model         string
	prompts       promptList
	maxTokens     *int // nil for what is usual
	n             int
	stops         textList
	stream        bool
	streamOptions streamOptions
	logProbs      *int // nil for none
	echo          bool
	seed          seed
	sampling      runtime.Sampling
	bias          biasMap
	user          string
	bestOf        *int // nil for none
	suffix        string
}

type streamOptions struct {
	IncludeUsage       bool `json:"include_usage"`
	IncludeObfuscation bool `json:"include_obfuscation"` // random padding of events; only false is supported
}

// fields are what a request may have, each with where its value goes.
func (q *request) fields() map[string]any {
	return map[string]any{
		"model": &q.model, "prompt": &q.prompts, "max_tokens": &q.maxTokens, "n": &q.n, "stop": &q.stops,
		"stream": &q.stream, "stream_options": &q.streamOptions, "logprobs": &q.logProbs, "echo": &q.echo, "seed": &q.seed,
		"temperature": &q.sampling.Temperature, "top_p": &q.sampling.TopP, "top_k": &q.sampling.TopK,
		"min_p": &q.sampling.MinP, "repetition_penalty": &q.sampling.RepetitionPenalty,
		"presence_penalty": &q.sampling.PresencePenalty, "frequency_penalty": &q.sampling.FrequencyPenalty,
		"logit_bias": &q.bias, "user": &q.user, "best_of": &q.bestOf, "suffix": &q.suffix,
	}
}

// wanted says what a field takes.
func wanted(target any) string {
	switch target.(type) {
	case *string:
		return "a text"
	case *int, **int, *seed:
		return "a whole number"
	case *float64:
		return "a number"
	case *bool:
		return "true or false"
	case *promptList:
		return "a text, a list of texts, a list of token ids, or a list of such lists"
	case *textList:
		return "a text, or a list of texts"
	case *biasMap:
		return `an object of token ids and numbers, such as {"50": -100}`
	case *streamOptions:
		return `{"include_usage": true} or {"include_usage": false}`
	}
	return "something else"
}

// parse reads a request. A field that is null counts as absent.
func parse(body []byte) (*request, error) {
	var given map[string]json.RawMessage
	if err := strict(body, &given); err != nil || given == nil {
		return nil, wrong("", "the body is no JSON object: %s", cause(err))
	}
	q := &request{n: 1, sampling: runtime.Sampling{Temperature: 1, TopP: 1, RepetitionPenalty: 1}}
	fields := q.fields()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		target, known := fields[name]
		if !known {
			return nil, wrong(shortened(name), "unknown field %q; known are %s", shortened(name), strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
		}
		if err := jsontext.Check(given[name]); err != nil {
			return nil, wrong(name, "%s %v", name, err)
		}
		if err := strict(given[name], target); err != nil {
			return nil, wrong(name, "%s is %s: want %s", name, shortened(string(given[name])), wanted(target))
		}
	}
	return q, q.check()
}

// check refuses what is out of range, whatever the model.
func (q *request) check() error {
	switch {
	case q.bestOf != nil && *q.bestOf != q.n: // the best n of n are all
		return wrong("best_of", "best_of is %d: only n, which is %d, is supported; ask for n answers and choose by their logprobs", *q.bestOf, q.n)
	case q.suffix != "":
		return wrong("suffix", "suffix is not supported: the models continue texts; leave it out")
	case q.echo && q.logProbs != nil:
		return wrong("echo", "echo together with logprobs is not supported; leave one of the two out")
	case q.streamOptions.IncludeObfuscation:
		return wrong("stream_options", "stream_options.include_obfuscation is not supported; leave it out")
	case q.streamOptions.IncludeUsage && !q.stream:
		return wrong("stream_options", "stream_options are for streams; give stream: true, or leave them out")
	case q.n < 1:
		return wrong("n", "n is %d: want 1 or more", q.n)
	case q.maxTokens != nil && *q.maxTokens < 1:
		return wrong("max_tokens", "max_tokens is %d: want 1 or more", *q.maxTokens)
	case q.logProbs != nil && (*q.logProbs < 0 || *q.logProbs > mostLogProbs):
		return wrong("logprobs", "logprobs is %d: want 0 to %d", *q.logProbs, mostLogProbs)
	case len(q.prompts) == 0:
		return wrong("prompt", "there is no prompt: want %s", wanted(&q.prompts))
	}
	if err := (runtime.GenerateOptions{StopStrings: q.stops}).Check(); err != nil {
		return wrong("stop", "%v", err)
	}
	return q.checkSampling()
}

// mostLogProbs is how many tokens beside the chosen one an answer tells at most.
const mostLogProbs = 20

// mostTemperature is OpenAI's; at more, answers are noise.
const mostTemperature = 2

// checkSampling names the field of what runtime or OpenAI's API does not take, and leaves what they do.
func (q *request) checkSampling() error {
	s := &q.sampling
	s.LogitBias = q.bias
	switch {
	case s.Temperature > mostTemperature:
		return wrong("temperature", "temperature is %v: want 0 to %d", s.Temperature, mostTemperature)
	case s.RepetitionPenalty == 0: // which is none to runtime, and the strongest reward to who counts down from 1
		return wrong("repetition_penalty", "repetition_penalty is 0: want more, of which 1 is none")
	}
	for _, field := range []struct {
		name string
		only runtime.Sampling
	}{
		{"temperature", runtime.Sampling{Temperature: s.Temperature}},
		{"top_p", runtime.Sampling{Temperature: 1, TopP: s.TopP}},
		{"top_k", runtime.Sampling{Temperature: 1, TopK: s.TopK}},
		{"min_p", runtime.Sampling{Temperature: 1, MinP: s.MinP}},
		{"repetition_penalty", runtime.Sampling{RepetitionPenalty: s.RepetitionPenalty}},
		{"presence_penalty", runtime.Sampling{PresencePenalty: s.PresencePenalty}},
		{"frequency_penalty", runtime.Sampling{FrequencyPenalty: s.FrequencyPenalty}},
		{"logit_bias", runtime.Sampling{LogitBias: s.LogitBias}},
	} {
		if err := (runtime.GenerateOptions{Sampling: field.only}).Check(); err != nil {
			return wrong(field.name, "%s: %v", field.name, err)
		}
	}
	// The most probable token is among the first p of the probability for every p, so 0 leaves it
	// alone; to runtime 0 is no limit.
	if s.TopP == 0 {
		s.Temperature = 0
	}
	if s.Temperature == 0 { // the most probable token is among any that are left
		s.TopK, s.TopP, s.MinP = 0, 0, 0
	}
	return nil
}

// perRow returns how the tokens of n answers to each prompt are chosen: by what was asked for, and
// seeds that do not depend on the other prompts.
func (q *request) perRow() []runtime.Sampling {
	start := rand.Uint64()
	if q.seed.given {
		start = q.seed.value
	}
	out := make([]runtime.Sampling, len(q.prompts)*q.n)
	for i := range out {
		out[i] = q.sampling
		out[i].Seed = start + uint64(i%q.n)
	}
	return out
}

// promptList is one prompt, or several.
type promptList []runtime.Prompt

// UnmarshalJSON implements json.Unmarshaler. What a list has follows from how it begins: to try one
// kind after the other would take several times as long for a long list.
func (p *promptList) UnmarshalJSON(data []byte) error {
	var text string
	var texts []*string
	var ids []*int64
	var lists [][]*int64
	inner, isList := bytes.CutPrefix(data, []byte("["))
	inner = bytes.TrimSpace(inner)
	switch {
	case !isList:
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		*p = promptList{{Text: text}}
	case inner[0] == '"':
		if err := json.Unmarshal(data, &texts); err != nil {
			return err
		}
		for _, t := range texts {
			if t == nil {
				return errNull
			}
			*p = append(*p, runtime.Prompt{Text: *t})
		}
	case inner[0] == '[':
		if err := json.Unmarshal(data, &lists); err != nil {
			return err
		}
	case inner[0] != ']':
		if err := json.Unmarshal(data, &ids); err != nil {
			return err
		}
		lists = [][]*int64{ids}
	}
	for _, list := range lists {
		prompt := runtime.Prompt{IDs: []int64{}}
		for _, id := range list {
			if id == nil {
				return errNull
			}
			prompt.IDs = append(prompt.IDs, *id)
		}
		*p = append(*p, prompt)
	}
	return nil
}

var errNull = errors.New("null in a list")

// textList is one text, or several.
type textList []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *textList) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = textList{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// biasMap is added to the logits of token ids.
type biasMap map[int64]float64

// UnmarshalJSON implements json.Unmarshaler.
func (b *biasMap) UnmarshalJSON(data []byte) error {
	var given map[string]float64
	if err := json.Unmarshal(data, &given); err != nil {
		return err
	}
	*b = biasMap{}
	for key, bias := range given {
		id, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			return err
		}
		if _, twice := (*b)[id]; twice {
			return errors.New("an id is given twice")
		}
		(*b)[id] = bias
	}
	return nil
}

// seed is any whole number of 64 bits.
type seed struct {
	value uint64
	given bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *seed) UnmarshalJSON(data []byte) error {
	signed, err := strconv.ParseInt(string(data), 10, 64)
	if err == nil {
		s.value = uint64(signed)
	} else if s.value, err = strconv.ParseUint(string(data), 10, 64); err != nil {
		return err
	}
	s.given = true
	return nil
}

// strict reads one JSON value, with known fields only and nothing after it. null leaves target as
// it is.
func strict(data []byte, target any) error {
	if string(bytes.TrimSpace(data)) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(target); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is something after its end")
	}
	return nil
}

// cause is what is wrong with a body.
func cause(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return "it is null"
	case errors.As(err, &kind):
		return "it is a JSON " + kind.Value
	case errors.Is(err, io.EOF):
		return "it is empty"
	}
	return err.Error()
}

// shortened is the beginning of a text that may be long.
func shortened(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return fmt.Sprintf("%s… (%d bytes)", string(runes[:most]), len(text))
	}
	return text
}
