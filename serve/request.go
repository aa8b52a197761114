package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/internal/jsontext"
	"github.com/nopezoo/zoo/runtime"
)

// request is the body of POST /v1/completions: its fields, and what each takes.
type request struct {
	sampled
	Prompts    promptList `json:"prompt" takes:"a text, a list of texts, a list of token ids, or a list of such lists"`
	LogProbs   *int       `json:"logprobs" takes:"a whole number"` // nil for none
	Echo       bool       `json:"echo" takes:"true or false"`
	AddSpecial *bool      `json:"add_special_tokens" takes:"true or false"` // nil is true
	BestOf     *int       `json:"best_of" takes:"a whole number"`           // nil for none
	Suffix     string     `json:"suffix" takes:"a text"`
}

// sampled are the fields that every request for completions has.
type sampled struct {
	Model         string        `json:"model" takes:"a text"`
	MaxTokens     *int          `json:"max_tokens" takes:"a whole number"` // nil for what is usual
	N             int           `json:"n" takes:"a whole number"`
	Stops         textList      `json:"stop" takes:"a text, or a list of texts"`
	Stream        bool          `json:"stream" takes:"true or false"`
	StreamOptions streamOptions `json:"stream_options" takes:"{\"include_usage\": true} or {\"include_usage\": false}"`
	Seed          seed          `json:"seed" takes:"a whole number"`
	Temperature   float64       `json:"temperature" takes:"a number"`
	TopP          float64       `json:"top_p" takes:"a number"`
	TopK          int           `json:"top_k" takes:"a whole number"`
	MinP          float64       `json:"min_p" takes:"a number"`
	Repetition    float64       `json:"repetition_penalty" takes:"a number"`
	Presence      float64       `json:"presence_penalty" takes:"a number"`
	Frequency     float64       `json:"frequency_penalty" takes:"a number"`
	Bias          biasMap       `json:"logit_bias" takes:"an object of token ids and numbers, such as {\"50\": -100}"`
	IgnoreEOS     bool          `json:"ignore_eos" takes:"true or false"`
	MinTokens     int           `json:"min_tokens" takes:"a whole number"`
	User          string        `json:"user" takes:"a text"`
}

// unset are the values of fields that a request leaves out.
var unset = sampled{N: 1, Temperature: 1, TopP: 1, Repetition: 1}

type streamOptions struct {
	IncludeUsage       bool `json:"include_usage"`
	IncludeObfuscation bool `json:"include_obfuscation"` // random padding of events; only false is supported
}

// parse reads a request for completions.
func parse(body []byte) (*request, error) {
	q := &request{sampled: unset}
	if err := parseFields(body, q); err != nil {
		return nil, err
	}
	return q, q.check()
}

// parseFields reads the fields of a body into a pointer to a struct. A field that is null counts as absent.
func parseFields(body []byte, target any) error {
	var given map[string]json.RawMessage
	if err := strict(body, &given); err != nil || given == nil {
		return wrong("", "the body is no JSON object: %s", cause(err))
	}
	known := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(reflect.TypeOf(target).Elem()) {
		if !field.Anonymous {
			known[field.Tag.Get("json")] = field
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		field, ok := known[name]
		if !ok {
			return wrong(shortened(name), "unknown field %q; known are %s", shortened(name), strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if err := jsontext.Check(given[name]); err != nil {
			return wrong(name, "%s %v", name, err)
		}
		if err := strict(given[name], reflect.ValueOf(target).Elem().FieldByIndex(field.Index).Addr().Interface()); err != nil {
			return wrong(name, "%s is %s: want %s", name, shortened(string(given[name])), field.Tag.Get("takes"))
		}
	}
	return nil
}

// check refuses what is out of range, whatever the model.
func (q *request) check() error {
	switch {
	case q.BestOf != nil && *q.BestOf != q.N: // the best n of n are all
		return wrong("best_of", "best_of is %d: only n, which is %d, is supported; ask for n answers and choose by their logprobs", *q.BestOf, q.N)
	case q.Suffix != "":
		return wrong("suffix", "suffix is not supported: the models continue texts; leave it out")
	case q.MinTokens != 0:
		return wrong("min_tokens", "min_tokens is %d: only 0 is supported; ignore_eos lets a completion run to max_tokens", q.MinTokens)
	case q.StreamOptions.IncludeObfuscation:
		return wrong("stream_options", "stream_options.include_obfuscation is not supported; leave it out")
	case q.StreamOptions.IncludeUsage && !q.Stream:
		return wrong("stream_options", "stream_options are for streams; give stream: true, or leave them out")
	case q.N < 1:
		return wrong("n", "n is %d: want 1 or more", q.N)
	case q.MaxTokens != nil && *q.MaxTokens < 1 && (*q.MaxTokens < 0 || !q.Echo):
		return wrong("max_tokens", "max_tokens is %d: want 1 or more, or 0 with echo", *q.MaxTokens)
	case q.LogProbs != nil && (*q.LogProbs < 0 || *q.LogProbs > mostLogProbs):
		return wrong("logprobs", "logprobs is %d: want 0 to %d", *q.LogProbs, mostLogProbs)
	case len(q.Prompts) == 0:
		return wrong("prompt", "there is no prompt: want a text, a list of texts, a list of token ids, or a list of such lists")
	case q.Temperature > mostTemperature:
		return wrong("temperature", "temperature is %v: want 0 to %d", q.Temperature, mostTemperature)
	case q.Repetition == 0: // which is none to runtime, and the strongest reward to who counts down from 1
		return wrong("repetition_penalty", "repetition_penalty is 0: want more, of which 1 is none")
	}
	for _, field := range []struct {
		name string
		only runtime.Sampling
	}{
		{"temperature", runtime.Sampling{Temperature: q.Temperature}},
		{"top_p", runtime.Sampling{Temperature: 1, TopP: q.TopP}},
		{"top_k", runtime.Sampling{Temperature: 1, TopK: q.TopK}},
		{"min_p", runtime.Sampling{Temperature: 1, MinP: q.MinP}},
		{"repetition_penalty", runtime.Sampling{RepetitionPenalty: q.Repetition}},
		{"presence_penalty", runtime.Sampling{PresencePenalty: q.Presence}},
		{"frequency_penalty", runtime.Sampling{FrequencyPenalty: q.Frequency}},
		{"logit_bias", runtime.Sampling{LogitBias: q.Bias}},
	} {
		if err := (runtime.GenerateOptions{Sampling: field.only}).Check(); err != nil {
			return wrong(field.name, "%s: %v", field.name, err)
		}
	}
	if err := (runtime.GenerateOptions{StopStrings: q.Stops}).Check(); err != nil {
		return wrong("stop", "%v", err)
	}
	return nil
}

// mostLogProbs is how many tokens beside the chosen one an answer tells at most.
const mostLogProbs = 20

// mostTemperature is OpenAI's; at more, completions are noise.
const mostTemperature = 2

// perRow returns how the tokens of n completions of each prompt are chosen: by what was asked for, and
// seeds that do not depend on the other prompts.
func (q *request) perRow() []runtime.Sampling {
	s := runtime.Sampling{Temperature: q.Temperature, TopP: q.TopP, TopK: q.TopK, MinP: q.MinP, RepetitionPenalty: q.Repetition,
		PresencePenalty: q.Presence, FrequencyPenalty: q.Frequency, LogitBias: q.Bias, Seed: q.Seed.value}
	// The most probable token is among the first p of the probability for every p, so 0 leaves it
	// alone; to runtime 0 is no limit.
	if s.Temperature == 0 || s.TopP == 0 { // the most probable token is among any that are left
		s.Temperature, s.TopK, s.TopP, s.MinP = 0, 0, 0, 0
	}
	if !q.Seed.given {
		s.Seed = rand.Uint64()
	}
	out := slices.Repeat([]runtime.Sampling{s}, len(q.Prompts)*q.N)
	for i := range out {
		out[i].Seed += uint64(i % q.N)
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
