package pe_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// root lowers the logit by factor times the square root of the distance.
type root struct {
	pe.NoPE
	factor float32
}

func (r root) Bias(s *pe.Site) *graph.Node {
	d := s.B.Cast(s.Distances(), tensor.Float32) // [1,1,T,S]
	return s.B.Mul(s.B.Sqrt(s.B.Relu(d)), s.B.Const(tensor.Of([]float32{-r.factor})))
}

type rootSettings struct {
	Factor float32 `json:"factor" about:"default 1"`
}

func newRoot(_ pe.Dims, s rootSettings) (pe.Encoding, error) {
	if s.Factor == 0 {
		s.Factor = 1
	}
	return root{factor: s.Factor}, nil
}

// clash declares a weight that every decoder has.
type clash struct{ pe.NoPE }

func (clash) Params() []pe.Param { return []pe.Param{{Name: "embed.weight", Shape: []int{1}}} }

func newClash(pe.Dims, struct{}) (pe.Encoding, error) { return clash{}, nil }

func init() {
	pe.Register(pe.Row{Name: "clash", Formula: "q·k", Source: "a test", Cost: "nothing", Make: pe.With(newClash)})
	pe.Register(pe.Row{Name: "cwrnn", Formula: "q·k", Source: "a test", Cost: "nothing", Make: pe.With(newRoot)})
	pe.Register(pe.Row{Name: "root", Formula: "q·k − √(t−j)", Source: "an example",
		Cost: "an addition", Make: pe.With(newRoot)})
}

func ExampleRegister() {
	// In an init function of your program, or of a package that it imports:
	//
	//	pe.Register(pe.Row{Name: "root", Formula: "q·k − √(t−j)", Source: "an example",
	//		Cost: "an addition", Make: pe.With(newRoot)})
	row, err := pe.Find("root")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(row.Formula)
	_, err = row.Make.New(pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: 1}, json.RawMessage(`{"slope": 2}`))
	fmt.Println(err)
	// Output:
	// q·k − √(t−j)
	// encoding root: settings {"slope": 2}: unknown key "slope"; known: factor
}

func TestRegistered(t *testing.T) {
	d := pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: 1}
	got := bias(t, newEncoding(t, "root", `{"factor":2}`, d), d, 3, nil)
	near(t, "bias", got, []float64{0, 0, 0, -2, 0, 0, -2 * math.Sqrt2, -2, 0}, 1e-6)
	if table := pe.Table(); table[len(table)-1].Name != "root" || pe.Table()[0].Name != "nope" {
		t.Errorf("the table begins with %s and ends with %s", pe.Table()[0].Name, table[len(table)-1].Name)
	}
}

// What collides with a decoder or an architecture is found where a model is made.
func TestRegisteredClash(t *testing.T) {
	for name, want := range map[string]string{
		"root": "", "clash": "a weight embed.weight", "cwrnn": "rename the encoding",
	} {
		_, err := models.New(models.Config{Encoding: name, DModel: 8, NLayers: 1, NHeads: 2, DFF: 8, VocabSize: 4})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}

func TestRegisterRefuses(t *testing.T) {
	for want, r := range map[string]pe.Row{
		"lower-case letters":     {Name: "", Make: pe.With(newRoot)},
		`encoding "a,b"`:         {Name: "a,b", Make: pe.With(newRoot)},
		`encoding "rope" cannot`: {Name: "rope", Make: pe.With(newRoot)},
		"has a row of this name": {Name: "root", Make: pe.With(newRoot)},
		"Make is empty":          {Name: "mine"},
		"Paper [1] is not":       {Name: "mine", Make: pe.With(newRoot), Paper: json.RawMessage(`[1]`)},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("%+v: panic %q, want %q", r, got, want)
				}
			}()
			pe.Register(r)
		}()
	}
}

// TestSettingsAbout: every setting of the table has a name and a description.
func TestSettingsAbout(t *testing.T) {
	all := 0
	for _, r := range pe.Table() {
		for _, s := range r.Make.Settings {
			all++
			if s.Name == "" || s.About == "" {
				t.Errorf("%s: setting %+v", r.Name, s)
			}
		}
	}
	if all < 40 {
		t.Errorf("%d settings in all", all)
	}
}
