package card

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nopezoo/zoo/internal/wrap"
)

// Prefix starts every metadata key of a card; keys without it are not ours.
const Prefix = "zoo."

// Schema is the version of the written form. A reader accepts every minor
// version of its own major one: a minor version only adds keys.
const Schema = "1.0"

// SchemaKey is the key that metadata with a card has, readable or not.
const SchemaKey = Prefix + "schema"

// WeightsKey is the key of Card.WeightsSHA256.
const WeightsKey = Prefix + weightsField

const weightsField = "weights_sha256"

// ErrNoCard is returned (wrapped) by Parse for metadata without any card.
var ErrNoCard = errors.New("no model card")

// Metadata returns the card as ONNX metadata: UTF-8 values under keys that start
// with Prefix. JSON values are compacted; what is empty has no key. A card that
// is incomplete, out of range or not finite is an error naming the key.
func (c Card) Metadata() (map[string]string, error) {
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("card: %w", err)
	}
	m := map[string]string{SchemaKey: Schema}
	for _, f := range c.fields() {
		value, err := f.get()
		if err == nil && !utf8.ValidString(value) {
			err = fmt.Errorf("%q is not valid UTF-8", value)
		}
		if err != nil {
			return nil, fmt.Errorf("card: %s%s: %w", Prefix, f.key, err)
		}
		if value != "" {
			m[Prefix+f.key] = value
		}
	}
	if ramp := RampOf(c.Intervention); ramp != "" {
		m[Prefix+rampField] = ramp
	}
	return m, nil
}

// Parse reads a card from ONNX metadata. Unknown keys are ignored. Metadata
// without a card gives ErrNoCard; a card of another major schema, a missing
// required key and a malformed value are errors naming the key.
func Parse(metadata map[string]string) (Card, error) {
	if err := checkSchema(metadata); err != nil {
		return Card{}, fmt.Errorf("card: %w", err)
	}
	var c Card
	for _, f := range c.fields() {
		value := metadata[Prefix+f.key]
		if value == "" {
			if f.required {
				return Card{}, fmt.Errorf("card: metadata lacks %s%s: the file is damaged or was not written by zoo",
					Prefix, f.key)
			}
			continue
		}
		if err := f.set(value); err != nil {
			return Card{}, fmt.Errorf("card: metadata %s%s: %w", Prefix, f.key, err)
		}
	}
	c.Intervention = ReadIntervention(c.Intervention, metadata[Prefix+rampField])
	if c.Encoding == c.Architecture {
		c.Encoding = "" // older files repeat the architecture where it has no encodings
	}
	return wrap.Value(c, c.validate(), "card: metadata")
}

func checkSchema(metadata map[string]string) error {
	version, ok := metadata[SchemaKey]
	if !ok {
		for key := range metadata {
			if strings.HasPrefix(key, Prefix) {
				return fmt.Errorf("metadata has %s but no %s: the file is damaged or was not written by zoo", key,
					SchemaKey)
			}
		}
		return fmt.Errorf("%w: metadata has no %s: the file was not written by zoo", ErrNoCard, SchemaKey)
	}
	major, minor, _ := strings.Cut(version, ".")
	a, errA := strconv.ParseUint(major, 10, 31)
	_, errB := strconv.ParseUint(minor, 10, 31)
	if errA != nil || errB != nil {
		return fmt.Errorf("metadata %s is %q, expected a version such as %q", SchemaKey, version, Schema)
	}
	own, _, _ := strings.Cut(Schema, ".")
	if strconv.FormatUint(a, 10) != own {
		return fmt.Errorf("metadata %s is %q, this program reads version %s.x: use a zoo that matches the file",
			SchemaKey, version, own)
	}
	return nil
}

// field binds one key to one place in a card, for both directions.
type field struct {
	key      string
	required bool
	get      func() (string, error)
	set      func(string) error
}

// fields is the whole written form: one row per key.
func (c *Card) fields() []field {
	return []field{
		text("architecture", true, &c.Architecture),
		text("encoding", false, &c.Encoding),
		object("encoding_params", &c.EncodingParams),
		text("positions", true, &c.Positions),
		object("config", &c.Config),
		text("intervention", false, &c.Intervention),
		list("tokenizer", &c.Tokenizer),
		text("task", false, &c.Task),
		integer("train_min", &c.Trained.Min),
		integer("train_max", &c.Trained.Max),
		integer("max_length", &c.MaxLength),
		text("profile", true, &c.Profile),
		text("dtype", false, &c.DType),
		list("state", &c.State),
		scalar("seed", &c.Seed, func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) }),
		natural("data_seed", &c.DataSeed),
		text("config_hash", false, &c.ConfigHash),
		text("data_hash", false, &c.DataHash),
		integer("steps", &c.Steps),
		text("train_provider", false, &c.TrainProvider),
		optional("fitted_step", &c.FittedStep, strconv.Itoa, strconv.Atoi),
		float("loss", &c.Loss),
		float("parity", &c.Parity),
		list("checks", &c.Checks),
		optional("difference", &c.Difference, jsonOf, parseJSON[Difference]),
		scalar("parameters", &c.Parameters, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }),
		text("tool_version", false, &c.ToolVersion),
		text(weightsField, false, &c.WeightsSHA256),
		text("form", false, &c.Form),
		optional("pretrained", &c.Pretrained, jsonOf, parseJSON[Pretrained]),
	}
}

func text(key string, required bool, at *string) field {
	return field{key, required,
		func() (string, error) { return *at, nil },
		func(s string) error { *at = s; return nil }}
}

func scalar[T any](key string, at *T, parse func(string) (T, error)) field {
	return field{key, true,
		func() (string, error) { return fmt.Sprint(*at), nil },
		func(s string) (err error) { *at, err = parse(s); return err }}
}

// natural is a number that is left out at 0.
func natural(key string, at *uint64) field {
	return field{key, false,
		func() (string, error) {
			if *at == 0 {
				return "", nil
			}
			return strconv.FormatUint(*at, 10), nil
		},
		func(s string) (err error) { *at, err = strconv.ParseUint(s, 10, 64); return err }}
}

func integer(key string, at *int) field { return scalar(key, at, strconv.Atoi) }

func float(key string, at **float64) field {
	return optional(key, at,
		func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) },
		func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
}

func optional[T any](key string, at **T, format func(T) string, parse func(string) (T, error)) field {
	return field{key, false,
		func() (string, error) {
			if *at == nil {
				return "", nil
			}
			return format(**at), nil
		},
		func(s string) error {
			v, err := parse(s)
			*at = &v
			return err
		}}
}

func jsonOf[T any](v T) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "" // which numbers that validate has checked cannot be
	}
	return string(text)
}

func parseJSON[T any](s string) (v T, err error) {
	err = json.Unmarshal([]byte(s), &v)
	return v, err
}

func object(key string, at *json.RawMessage) field {
	return field{key, false,
		func() (string, error) {
			if len(*at) == 0 {
				return "", nil
			}
			var b bytes.Buffer
			err := json.Compact(&b, *at)
			return b.String(), err
		},
		func(s string) error { *at = json.RawMessage(s); return nil }}
}

func list[T any](key string, at *[]T) field {
	return field{key, false,
		func() (string, error) {
			if len(*at) == 0 {
				return "", nil
			}
			var b strings.Builder
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false) // "<pad>" stays readable
			err := e.Encode(*at)
			return strings.TrimSuffix(b.String(), "\n"), err
		},
		func(s string) error { return json.Unmarshal([]byte(s), at) }}
}
