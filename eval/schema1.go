package eval

import (
	"encoding/json"
	"strings"

	"github.com/nopezoo/zoo/card"
)

// schema1 has the fields of schema 1 that are in other places now.
type schema1 struct {
	ScalingRamp string   `json:"scaling_ramp"` // see card.RampOf
	Correct     *float64 `json:"correct"`

	// Head, other model and numbers, by the measure.
	Attention, Divergence, Probe, Logits, Causal json.RawMessage
}

// controls1 names the numbers of schema 1 that are controls now.
var controls1 = map[string]string{
	"even_distance": "distance", "even_entropy": "entropy", "js_null": "js", "chance": "classified", "r2_null": "r2_both",
}

// readSchema1 reads what a line of schema 1 has at other places.
func (o *Observation) readSchema1(line []byte) error {
	var old schema1
	if err := json.Unmarshal(line, &old); err != nil {
		return err
	}
	o.Schema, o.Intervention = ObservationSchema, card.ReadIntervention(o.Intervention, old.ScalingRamp)
	body := map[string]json.RawMessage{MeasureAttention: old.Attention, MeasureDivergence: old.Divergence, MeasureProbe: old.Probe,
		MeasureLogits: old.Logits, MeasureCausal: old.Causal}[o.Measure]
	if body == nil {
		return nil
	}
	var numbers map[string]any
	if err := json.Unmarshal(body, &numbers); err != nil {
		return err
	}
	if err := json.Unmarshal(body, o); err != nil { // head, heads and the other model, by the names of today
		return err
	}
	if o.NA {
		return nil
	}
	o.Values, o.Control = map[string]float64{}, map[string]float64{}
	if old.Correct != nil {
		o.Values["correct"] = *old.Correct
	}
	if o.Measure == MeasureCausal {
		o.Values["directions"] = 1 // the oldest files do not say so
	}
	for name, v := range numbers {
		switch v := v.(type) {
		case float64:
			o.setNumber1("", name, v)
		case []any:
			o.Series = series1(v)
		case map[string]any:
			o.readObject1(name, v)
		}
	}
	return nil
}

// setNumber1 sets a number or control.
func (o *Observation) setNumber1(prefix, name string, v float64) {
	control, is := controls1[name]
	switch {
	case is:
		o.Control[prefix+control] = v
	case name != "head" && name != "heads" && !strings.HasPrefix(name, "with_"):
		o.Values[prefix+name] = v
	}
}

// readObject1 reads roles, distances at mistakes, and what was right.
func (o *Observation) readObject1(name string, object map[string]any) {
	number := numberOf(object)
	switch name {
	case "roles":
		for role, v := range object {
			if object, ok := v.(map[string]any); ok {
				o.readRole1(role, object)
			}
		}
	case "at_mistake":
		for key := range object {
			o.setNumber1("mistake_", key, number(key))
		}
	default:
		into := o.Values
		if before, is := strings.CutSuffix(name, "_control"); is {
			into, name = o.Control, before
		}
		into[name+"_correct"], into[name+"_tokens"], o.Values["tokens"] = number("correct"), number("tokens_correct"), number("tokens")
	}
}

// numberOf finds numbers in an object, 0 where there is none.
func numberOf(object map[string]any) func(key string) float64 {
	return func(key string) float64 { v, _ := object[key].(float64); return v }
}

func (o *Observation) readRole1(role string, object map[string]any) {
	number := numberOf(object)
	if number("queries") == 0 {
		return
	}
	o.Values[role], o.Values[role+"_queries"], o.Control[role] = number("score"), number("queries"), number("null")
	if role == RoleOffset || role == RolePosition {
		o.Values[role+"_at"] = number("at")
	}
}

// series1 is a list of numbers, or of lists of them.
func series1(list []any) (out [][]float64) {
	var row []float64
	for _, v := range list {
		switch v := v.(type) {
		case float64:
			row = append(row, v)
		case []any:
			out = append(out, series1(v)...)
		}
	}
	if len(row) > 0 {
		out = append(out, row)
	}
	return out
}
