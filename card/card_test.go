package card_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
)

func full() card.Card {
	return card.Card{
		Architecture:   "decoder",
		Encoding:       "rope",
		EncodingParams: json.RawMessage(`{"base":10000,"fraction":0.25}`),
		Positions:      "contiguous",
		Config:         json.RawMessage(`{"d_model":64,"n_layers":2}`),
		Intervention:   "yarn:4",
		Tokenizer:      []string{"<pad>", "</s>", " ", " [SEP]", `"`, " é"},
		Task:           "copy",
		Trained:        card.Lengths{Min: 2, Max: 20},
		MaxLength:      512,
		Profile:        card.Portable,
		DType:          card.Int8,
		Difference: &card.Difference{Engine: "ONNX Runtime 1.29.0, cpu", Logit: 0.5, Relative: 0.25, Accuracy: []card.Accuracy{
			{Task: "copy", Length: 20, N: 50, Correct: 49, Float32: 50}}},
		State: []card.State{
			{Past: "past_key_values.0.key", Present: "present.0.key", Shape: []string{"batch", "4", "past", "32"}, Kind: card.Growing, Axis: 2},
			{Past: "past.0.state", Present: "present.0.state", Shape: []string{"batch", "64"}, Initial: -0.5},
		},
		Seed:          math.MaxUint64,
		DataSeed:      7,
		ConfigHash:    "abc",
		DataHash:      "def",
		Steps:         3000,
		FittedStep:    new(2400),
		TrainProvider: "cpu+cuda",
		Loss:          new(0.1),
		Parity:        new(2e-6),
		Checks:        []string{card.CheckStructure, card.CheckParity},
		Parameters:    109607040,
		ToolVersion:   "v1.2.3",
		WeightsSHA256: "0123",
	}
}

func minimal() card.Card {
	return card.Card{Architecture: "cwrnn", Positions: "contiguous", Profile: card.Fused}
}

func answering() card.Card {
	c := full()
	c.Form, c.State = card.Looped, nil
	return c
}

func TestRoundTrip(t *testing.T) {
	for name, want := range map[string]card.Card{"full": full(), "minimal": minimal(), "answers": answering()} {
		t.Run(name, func(t *testing.T) {
			m, err := want.Metadata()
			if err != nil {
				t.Fatal(err)
			}
			for key := range m {
				if !strings.HasPrefix(key, card.Prefix) {
					t.Errorf("key %q lacks the prefix", key)
				}
			}
			m["author"] = "somebody else" // foreign and future keys are ignored
			m["zoo.from_the_future"] = "1"
			got, err := card.Parse(m)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("card (-want +got):\n%s", diff)
			}
		})
	}
}

// The written form is what other versions of the program read.
func TestWrittenForm(t *testing.T) {
	c := full()
	c.Config = json.RawMessage("{ \"d_model\": 64 }\n")
	got, err := c.Metadata()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"zoo.schema":          "1.0",
		"zoo.architecture":    "decoder",
		"zoo.encoding":        "rope",
		"zoo.encoding_params": `{"base":10000,"fraction":0.25}`,
		"zoo.positions":       "contiguous",
		"zoo.config":          `{"d_model":64}`,
		"zoo.intervention":    "yarn:4",
		"zoo.scaling_ramp":    "pairs",
		"zoo.tokenizer":       `["<pad>","</s>"," "," [SEP]","\""," é"]`,
		"zoo.task":            "copy",
		"zoo.train_min":       "2",
		"zoo.train_provider":  "cpu+cuda",
		"zoo.train_max":       "20",
		"zoo.max_length":      "512",
		"zoo.profile":         "portable",
		"zoo.dtype":           "int8",
		"zoo.difference": `{"engine":"ONNX Runtime 1.29.0, cpu","logit":0.5,"relative":0.25,` +
			`"accuracy":[{"task":"copy","length":20,"n":50,"correct":49,"float32":50}]}`,
		"zoo.state": `[{"past":"past_key_values.0.key","present":"present.0.key","shape":["batch","4","past","32"],"grows":true,"axis":2,"initial":0},` +
			`{"past":"past.0.state","present":"present.0.state","shape":["batch","64"],"grows":false,"initial":-0.5}]`,
		"zoo.seed":         "18446744073709551615",
		"zoo.data_seed":    "7",
		"zoo.config_hash":  "abc",
		"zoo.data_hash":    "def",
		"zoo.steps":        "3000",
		"zoo.fitted_step":  "2400",
		"zoo.loss":         "0.1",
		"zoo.parity":       "2e-06",
		"zoo.checks":       `["structure","parity"]`,
		"zoo.parameters":   "109607040",
		"zoo.tool_version": "v1.2.3",

		"zoo.weights_sha256": "0123",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}

func TestMetadataErrors(t *testing.T) {
	for _, tc := range []struct {
		reason string
		change func(*card.Card)
		want   string
	}{
		{"no architecture", func(c *card.Card) { c.Architecture = "" }, "architecture is empty"},
		{"no positions", func(c *card.Card) { c.Positions = "" }, "positions is empty"},
		{"profile", func(c *card.Card) { c.Profile = "fast" }, `profile is "fast"`},
		{"dtype", func(c *card.Card) { c.DType = "int4" }, `dtype is "int4", expected none or float16, bfloat16, int8-block, int4-block, int8: use`},
		{"float32 by name", func(c *card.Card) { c.DType = card.Float32 }, `dtype is "float32"`},
		{"difference", func(c *card.Card) { c.Difference.Logit = math.Inf(1) }, "difference is +Inf"},
		{"difference in accuracy", func(c *card.Card) { c.Difference.Accuracy[0].Correct = 51 }, "more than there are prompts"},
		{"max length", func(c *card.Card) { c.MaxLength = -1 }, "max_length is -1"},
		{"steps", func(c *card.Card) { c.Steps = -1 }, "steps is -1"},
		{"fitted step", func(c *card.Card) { c.FittedStep = new(-1) }, "fitted_step is -1"},
		{"fitted step to come", func(c *card.Card) { c.FittedStep = new(3001) }, "fitted_step is 3001"},
		{"parameters", func(c *card.Card) { c.Parameters = -1 }, "parameters is -1"},
		{"loss", func(c *card.Card) { c.Loss = new(math.NaN()) }, "loss is NaN"},
		{"parity", func(c *card.Card) { c.Parity = new(math.Inf(1)) }, "parity is +Inf"},
		{"negative parity", func(c *card.Card) { c.Parity = new(-1.0) }, "parity is -1"},
		{"lengths reversed", func(c *card.Card) { c.Trained = card.Lengths{Min: 5, Max: 2} }, "5..2"},
		{"lengths half set", func(c *card.Card) { c.Trained = card.Lengths{Max: 2} }, "0..2"},
		{"config is a list", func(c *card.Card) { c.Config = json.RawMessage(`[1]`) }, "config is not a JSON object"},
		{"params broken", func(c *card.Card) { c.EncodingParams = json.RawMessage(`{`) }, "encoding_params is not a JSON object"},
		{"params blank", func(c *card.Card) { c.EncodingParams = json.RawMessage(` `) }, "encoding_params is not a JSON object"},
		{"empty piece", func(c *card.Card) { c.Tokenizer[1] = "" }, "piece 1"},
		{"state without a name", func(c *card.Card) { c.State[0].Present = "" }, "state 0"},
		{"state named twice", func(c *card.Card) { c.State[1].Past = c.State[0].Past }, "appears twice"},
		{"growing axis", func(c *card.Card) { c.State[0].Axis = 4 }, "growing axis 4"},
		{"axis of a fixed state", func(c *card.Card) { c.State[1].Axis = 1 }, "does not grow"},
		{"unnamed axis", func(c *card.Card) { c.State[1].Shape[1] = "past" }, `axis 1 is "past", expected a length`},
		{"negative axis", func(c *card.Card) { c.State[1].Shape[1] = "-1" }, `axis 1 is "-1", expected a length`},
		{"batch twice", func(c *card.Card) { c.State[0].Shape[3] = card.Batch }, `axis 3 is "batch", expected a length, batch once`},
		{"growing batch", func(c *card.Card) { c.State[0].Axis = 0 }, `axis 0 is "batch"`},
		{"no axes", func(c *card.Card) { c.State[1].Shape = nil }, "shape is empty"},
		{"kind", func(c *card.Card) { c.State[1].Kind = 3 }, "unknown kind of state 3"},
		{"state initial", func(c *card.Card) { c.State[0].Initial = math.NaN() }, "initial is NaN"},
		{"form", func(c *card.Card) { c.Form = "questions" }, `form is "questions"`},
		{"form with states", func(c *card.Card) { c.Form = card.Looped }, "form is answers with 2 states and 6 pieces"},
		{"form without tokenizer", func(c *card.Card) { c.Form, c.State, c.Tokenizer = card.Looped, nil, nil },
			"form is answers with 0 states and 0 pieces"},
		{"not UTF-8", func(c *card.Card) { c.Task = "\xff" }, "zoo.task"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			c := full()
			tc.change(&c)
			if _, err := c.Metadata(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v does not contain %q", err, tc.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	good, err := full().Metadata()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		reason, key, value, want string
	}{
		{"future major", "zoo.schema", "2.0", `"2.0", this program reads version 1.x`},
		{"older major", "zoo.schema", "0.9", `"0.9", this program reads version 1.x`},
		{"schema garbage", "zoo.schema", "one", `is "one", expected a version`},
		{"schema without minor", "zoo.schema", "1", `is "1", expected a version`},
		{"missing required text", "zoo.architecture", "", "lacks zoo.architecture"},
		{"missing required number", "zoo.max_length", "", "lacks zoo.max_length"},
		{"number garbage", "zoo.steps", "many", "zoo.steps"},
		{"number overflow", "zoo.seed", "18446744073709551616", "zoo.seed"},
		{"loss garbage", "zoo.loss", "low", "zoo.loss"},
		{"loss not finite", "zoo.loss", "NaN", "loss is NaN"},
		{"fitted step garbage", "zoo.fitted_step", "soon", "zoo.fitted_step"},
		{"tokenizer garbage", "zoo.tokenizer", "<pad>", "zoo.tokenizer"},
		{"state garbage", "zoo.state", `[{"grows":1}]`, "zoo.state"},
		{"state of a kind to come", "zoo.state", `[{"past":"a","present":"b","shape":["1"],"grows":"in a ring"}]`,
			`grows is "in a ring", expected one of [false true "in place"]`},
		{"config garbage", "zoo.config", "{", "config is not a JSON object"},
		{"profile", "zoo.profile", "slow", `profile is "slow"`},
		{"dtype", "zoo.dtype", "int4", `dtype is "int4"`},
		{"difference garbage", "zoo.difference", "small", "zoo.difference"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			m := maps.Clone(good)
			m[tc.key] = tc.value
			if _, err := card.Parse(m); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v does not contain %q", err, tc.want)
			}
		})
	}
}

func TestParseMinorSchema(t *testing.T) {
	m, err := minimal().Metadata()
	if err != nil {
		t.Fatal(err)
	}
	m["zoo.schema"] = "1.7"
	if _, err := card.Parse(m); err != nil {
		t.Errorf("a later minor schema is refused: %v", err)
	}
}

// In the cards of older files an architecture without encodings stands as its encoding too.
func TestParseOldEncoding(t *testing.T) {
	old, err := minimal().Metadata()
	if err != nil {
		t.Fatal(err)
	}
	old["zoo.encoding"] = "cwrnn"
	c, err := card.Parse(old)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(minimal(), c); diff != "" {
		t.Errorf("card (-want +got):\n%s", diff)
	}
	if c.Name() != "cwrnn" {
		t.Errorf("called %s", c.Name())
	}
}

// Names are parts of file names, so they have neither slashes nor stars.
func TestName(t *testing.T) {
	for encoding, want := range map[string]string{
		"": "decoder", "rope": "rope", "alibi-learned": "alibi-learned", "rope*3/nope": "3rope+nope",
		"alibi/learned": "alibi+learned",
	} {
		if got := (card.Card{Encoding: encoding, Architecture: "decoder"}).Name(); got != want {
			t.Errorf("%q is called %s, want %s", encoding, got, want)
		}
	}
}

func TestNoCard(t *testing.T) {
	for name, m := range map[string]map[string]string{"nil": nil, "foreign": {"author": "x"}} {
		if _, err := card.Parse(m); !errors.Is(err, card.ErrNoCard) {
			t.Errorf("%s: %v is not ErrNoCard", name, err)
		}
	}
	_, err := card.Parse(map[string]string{"zoo.task": "copy"})
	if err == nil || errors.Is(err, card.ErrNoCard) || !strings.Contains(err.Error(), "zoo.schema") {
		t.Errorf("card without schema: %v", err)
	}
}

// FuzzParse changes one value of a good card: Parse must refuse it or give a
// card that is written and read back unchanged.
func FuzzParse(f *testing.F) {
	good, err := full().Metadata()
	if err != nil {
		f.Fatal(err)
	}
	for key, value := range good {
		f.Add(key, value)
	}
	f.Add("zoo.state", `[{"past":"a","present":"b","shape":["1"],"grows":true}]`)
	f.Add("zoo.tokenizer", "[null]")
	f.Add("zoo.config", ` {"a" : 1e999}`)
	f.Fuzz(func(t *testing.T, key, value string) {
		m := maps.Clone(good)
		m[key] = value
		read, err := card.Parse(m)
		if err != nil {
			return
		}
		again, err := read.Metadata()
		if err != nil {
			if strings.Contains(err.Error(), "UTF-8") {
				return // only a writer can check encoding: ONNX strings are UTF-8 already
			}
			t.Fatalf("parsed but not written: %v", err)
		}
		back, err := card.Parse(again)
		if err != nil {
			t.Fatalf("written but not parsed: %v", err)
		}
		last, err := back.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(again, last); diff != "" {
			t.Errorf("second round trip (-first +second):\n%s", diff)
		}
	})
}
