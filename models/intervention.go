package models

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/models/pe"
)

// Intervention is a change of a finished model that takes no training: its weights stay.
// The zero value changes nothing.
type Intervention struct {
	// RoPE is one of pe.ScalingMethods, and RoPEFactor its factor; "none" leaves out the rotation (DroPE: Gelberg et al.
	// 2025, arXiv 2512.12167), and "" leaves it as it is.
	RoPE       string
	RoPEFactor float64
	// LogN multiplies logits by 1 + c·ln(max(n, L)/L), see Config.LogitScale; c is
	// LogitSlope, or 1/ln L where that is 0.
	LogN       bool
	LogitSlope float64
	// Factors are Config.LogitFactors: Wang et al.'s λ (2024, arXiv 2404.12224), one over a
	// temperature.
	Factors []float64
	// Ablation is Config.Ablation; "" for none.
	Ablation string
	// Window is Config.Window, in place of the model's own; "" for none.
	Window Windows
}

// ParseIntervention reads the parts of an intervention: of rope, such as "yarn:4", the
// method and its factor; a window, such as "16" or "8*3/0"; each "" for none; and of each
// scale one of "log-n", "log-n=C", "factor=X" and "factor=X,Y,…".
func ParseIntervention(rope, window string, scales ...string) (Intervention, error) {
	i := Intervention{Window: Windows(window)}
	var err error
	switch rope {
	case "":
	case noRoPE:
		i.RoPE = noRoPE
	default:
		method, factor, _ := strings.Cut(rope, ":")
		if i.RoPEFactor, err = strconv.ParseFloat(factor, 64); err != nil || !slices.Contains(pe.ScalingMethods, method) {
			return i, fmt.Errorf("rope %q: want none, or one of %s, a colon and a factor, such as yarn:4",
				rope, strings.Join(pe.ScalingMethods, ", "))
		}
		i.RoPE = method
	}
	for _, scale := range scales {
		if err := i.parseScale(scale); err != nil {
			return i, err
		}
	}
	return i, nil
}

func (i *Intervention) parseScale(text string) error {
	name, value, given := strings.Cut(text, "=")
	switch {
	case name == scaleLogN && !i.LogN:
		i.LogN = true
		if !given {
			return nil
		}
		var err error
		if i.LogitSlope, err = strconv.ParseFloat(value, 64); err != nil || !(i.LogitSlope > 0) {
			return fmt.Errorf("scale %q: want %s=C with a positive number, or %s alone", text, scaleLogN, scaleLogN)
		}
		return nil
	case name == "factor" && i.Factors == nil:
		for part := range strings.SplitSeq(value, ",") {
			f, err := strconv.ParseFloat(part, 64)
			if err != nil {
				return fmt.Errorf("scale %q: want factor=X, or several with commas: one for each head, "+
					"or for each head of each layer", text)
			}
			i.Factors = append(i.Factors, f)
		}
		return nil
	case name == scaleLogN || name == "factor":
		return fmt.Errorf("scale %q: there are two of its kind; leave one out", text)
	}
	return fmt.Errorf("scale %q: want %s, %s=C or factor=X", text, scaleLogN, scaleLogN)
}

// String is the intervention for people: "yarn:4, log-n=0.4, window=16"; "" for none.
func (i Intervention) String() string {
	var parts []string
	switch i.RoPE {
	case "":
	case noRoPE:
		parts = append(parts, "rope="+noRoPE)
	default:
		parts = append(parts, fmt.Sprintf("%s:%v", i.RoPE, i.RoPEFactor))
	}
	if i.LogN && i.LogitSlope == 0 {
		parts = append(parts, scaleLogN)
	} else if i.LogN {
		parts = append(parts, fmt.Sprintf("%s=%v", scaleLogN, i.LogitSlope))
	}
	if len(i.Factors) > 0 {
		factors := lists.Map(i.Factors, func(f float64) string { return fmt.Sprint(f) })
		parts = append(parts, "factor="+strings.Join(factors, ","))
	}
	if i.Ablation != "" {
		parts = append(parts, "ablate="+i.Ablation)
	}
	if i.Window != "" {
		parts = append(parts, fmt.Sprintf("window=%s", i.Window))
	}
	return strings.Join(parts, ", ")
}

// Apply returns the resolved configuration of a model as the intervention changes it.
// longest returns the tokens of the longest sequence in training, and is only called where
// they count and the configuration does not have them.
func (i Intervention) Apply(c Config, longest func() (int, error)) (Config, error) {
	c, a, err := c.resolve()
	if err != nil || i.String() == "" {
		return c, err
	}
	if !a.has("logit_scale") {
		return c, fmt.Errorf("%v: %s has no attention that this could change", i, a.Name)
	}
	if i.Ablation != "" && !a.has("ablation") {
		return c, fmt.Errorf("%v: heads of %s cannot be taken away one by one", i, a.Name)
	}
	if c.LogitScale != "" && c.LogitScale != scaleLogN && i.LogN {
		return c, fmt.Errorf("%s: the model was trained with logit_scale %s, which stands in its place",
			scaleLogN, c.LogitScale)
	}
	trained := func() (int, error) {
		if c.TrainedLength > 0 {
			return c.TrainedLength, nil
		}
		length, err := longest()
		if err != nil {
			err = fmt.Errorf("the tokens of the longest sequence in training: %w", err)
		}
		return length, err
	}
	if i.LogN {
		length, err := trained()
		if err != nil {
			return c, err
		}
		c.LogitScale, c.LogitSlope, c.TrainedLength = scaleLogN, i.LogitSlope, length
	}
	if len(i.Factors) > 0 {
		c.LogitFactors = i.Factors
	}
	if i.Ablation != "" {
		c.Ablation = i.Ablation
	}
	if i.Window != "" {
		c.Window = i.Window
	}
	switch i.RoPE {
	case "":
	case noRoPE:
		if c, err = unrotated(c); err != nil {
			return c, err
		}
	default:
		if c.EncodingParams, err = i.scaled(c, trained); err != nil {
			return c, err
		}
	}
	if _, err := New(c); err != nil {
		return c, err
	}
	c, _, err = c.resolve()
	return c, err
}

// noRoPE is a value of Intervention.RoPE.
const noRoPE = "none"

// unrotated has nope in the layers whose encoding is rope.
func unrotated(c Config) (Config, error) {
	p, err := pe.ParsePattern(c.Encoding, 0)
	if err != nil {
		return c, err
	}
	found := false
	for layer, name := range p {
		if base, _, _ := strings.Cut(name, "."); base == "rope" {
			p[layer], found = "nope", true
		}
	}
	if !found {
		return c, fmt.Errorf("rope %s: the encoding %s has no rotation to leave out", noRoPE, c.byLayer())
	}
	if slices.ContainsFunc(p, func(name string) bool { return name != "nope" }) {
		return c, fmt.Errorf("rope %s: other layers of %s have an encoding too, which would stay; want a model of rope and nope",
			noRoPE, c.byLayer())
	}
	c.Encoding, c.EncodingParams = "nope", nil
	return c, nil
}

// scaled returns the encoding's settings with the scaling in them.
func (i Intervention) scaled(c Config, trained func() (int, error)) (json.RawMessage, error) {
	row, err := c.encodingRow()
	if err != nil {
		return nil, err
	}
	if row.Scale == nil {
		return nil, fmt.Errorf("%s:%v: the encoding %s has no frequencies to scale", i.RoPE, i.RoPEFactor, c.byLayer())
	}
	return row.Scale(c.EncodingParams, i.RoPE, i.RoPEFactor, trained)
}
