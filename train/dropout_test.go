package train_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// dropped returns the step graph of a model with dropout, and its configuration.
func dropped(t testing.TB, cfg runfile.Config, rate float64) (runfile.Config, models.Model, *graph.Graph) {
	t.Helper()
	cfg, m := resolved(t, cfg)
	g, err := train.StepGraph(m, models.Mode{Dropout: rate})
	if err != nil {
		t.Fatal(err)
	}
	return cfg, m, g
}

func masks(t testing.TB, g *graph.Graph, rate float64, seed uint64, b train.Batch) map[string]*tensor.Tensor {
	t.Helper()
	f, err := train.Masks(g, rate, seed, b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Dropout is where the paper has it, and nowhere else.
func TestDropoutPlaces(t *testing.T) {
	_, _, g := dropped(t, micro("nope", 1), 0.5)
	want := map[string]string{"dropout.embed": "uint8[batch,seq,32]", "dropout.norm": "uint8[batch,seq,32]"}
	for i := range 2 {
		at := fmt.Sprintf("dropout.layers.%d.", i)
		want[at+"attn.weights"] = "uint8[batch,2,seq,seq]"
		want[at+"attn"] = "uint8[batch,seq,32]"
		want[at+"mlp.activation"] = "uint8[batch,seq,64]"
		want[at+"mlp"] = "uint8[batch,seq,32]"
	}
	for _, in := range g.Inputs {
		if !strings.HasPrefix(in.Name, models.DropoutPrefix) {
			continue
		}
		if want[in.Name] != in.Type() {
			t.Errorf("%s is %s, want %q", in.Name, in.Type(), want[in.Name])
		}
		delete(want, in.Name)
	}
	if len(want) > 0 {
		t.Errorf("no input %v", want)
	}
}

// A share of the masks is 0 as the rate says, the others are 1, and neither places nor sequences nor steps nor seeds repeat one another.
func TestDropoutStatistics(t *testing.T) {
	cfg, _, g := dropped(t, micro("nope", 1), 0.5)
	batches, err := train.Draw(cfg, 3)
	if err != nil {
		t.Fatal(err)
	}
	b := batches[0]
	for _, rate := range []float64{0.1, 0.5} {
		for name, f := range masks(t, g, rate, 1, b) {
			data, zeros, n := tensor.Data[uint8](f), 0, 0
			seq := f.Shape()[len(f.Shape())-1]
			for i, v := range data {
				if strings.HasSuffix(name, "weights") && i%seq > i/seq%seq {
					continue // a later key
				}
				n++
				if v == 0 {
					zeros++
				} else if v != 1 {
					t.Fatalf("%s: %v, want 0 or 1", name, v)
				}
			}
			// Five standard deviations of the share.
			allowed := 5 * math.Sqrt(rate*(1-rate)/float64(n))
			if d := math.Abs(float64(zeros)/float64(n) - rate); d > allowed {
				t.Errorf("%s: a share of %d/%d dropped, want %v ± %.3f", name, zeros, n, rate, allowed)
			}
		}
	}
	// Streams that share anything would agree in far more or fewer places.
	a := masks(t, g, 0.5, 1, b)
	other := b
	other.Step++
	moved := b
	moved.First += b.IDs.Shape()[0]
	first := tensor.Data[uint8](a["dropout.embed"])
	for what, second := range map[string]*tensor.Tensor{
		"another place":   a["dropout.layers.0.mlp"],
		"another layer":   a["dropout.norm"],
		"another step":    masks(t, g, 0.5, 1, other)["dropout.embed"],
		"other sequences": masks(t, g, 0.5, 1, moved)["dropout.embed"],
		"another seed":    masks(t, g, 0.5, 2, b)["dropout.embed"],
	} {
		agree := 0
		for i, v := range tensor.Data[uint8](second) {
			if v == first[i] {
				agree++
			}
		}
		n := float64(len(first))
		if d := math.Abs(float64(agree)/n - 0.5); d > 5*0.5/math.Sqrt(n) {
			t.Errorf("%s: %d of %.0f elements agree", what, agree, n)
		}
	}
}

// A sequence's masks are its own: cut into micro-batches, whose sequences are
// padded less, it keeps them.
func TestDropoutBelongsToTheSequence(t *testing.T) {
	cfg, _, g := dropped(t, micro("nope", 1), 0.5)
	whole, err := train.Draw(cfg, 5)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Train.MicroTokens = 24
	parts, err := train.Draw(cfg, 5)
	if err != nil {
		t.Fatal(err)
	}
	all := masks(t, g, 0.3, 9, whole[0])
	width, differs := whole[0].IDs.Shape()[1], false
	for _, part := range parts {
		n, w := part.IDs.Shape()[0], part.IDs.Shape()[1]
		differs = differs || w != width
		for name, f := range masks(t, g, 0.3, 9, part) {
			for row := range n {
				for _, at := range places(f.Shape(), w) {
					got := tensor.Data[uint8](f)[row*f.Len()/n+at(w)]
					if want := tensor.Data[uint8](all[name])[(part.First+row)*all[name].Len()/8+at(width)]; got != want {
						t.Fatalf("%s, sequence %d: %v, and %v in the whole batch", name, part.First+row, got,
							want)
					}
				}
			}
		}
	}
	if !differs {
		t.Error("no micro-batch is narrower than the batch; the test shows nothing")
	}
}

// places returns a function for each element of one sequence that a batch of the
// given width has: the element's offset, as a function of the width.
func places(shape []int, seq int) (list []func(width int) int) {
	if len(shape) == 3 {
		for i := range seq * shape[2] {
			list = append(list, func(int) int { return i })
		}
		return list
	}
	for h := range shape[1] {
		for t := range seq {
			for j := range seq {
				list = append(list, func(width int) int { return (h*width+t)*width + j })
			}
		}
	}
	return list
}

// What is kept is multiplied with 1/(1−rate). Where that is 1, and so are masks, the loss is that without dropout; every
// place matters to it.
func TestDropoutLoss(t *testing.T) {
	cfg, m, g := dropped(t, micro("nope", 1), 1e-9)
	_, _, half := dropped(t, micro("nope", 1), 0.5)
	sites := 0
	for _, n := range half.Nodes {
		if n.Op == "DequantizeLinear" {
			if sites++; tensor.Data[float32](n.Inputs[1].Value)[0] != 2 {
				t.Errorf("%s: what is kept is multiplied with %v, want 2", n.Inputs[0].Name, n.Inputs[1].Value)
			}
		}
	}
	if sites == 0 {
		t.Error("nothing is multiplied")
	}
	plain, err := train.StepGraph(m, models.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	batches, err := train.Draw(cfg, 0)
	if err != nil {
		t.Fatal(err)
	}
	weights := perturbed(m)
	loss := func(g *graph.Graph, in map[string]*tensor.Tensor) float64 {
		addEarlier(t, g, in)
		out, err := interp.New(g, tensor.Float64).Run(t.Context(), in, weights)
		if err != nil {
			t.Fatal(err)
		}
		return tensor.Data[float64](out["loss"])[0]
	}
	want := loss(plain, feed(plain, batches[0]))
	in := feed(g, batches[0])
	ones := masks(t, g, 0.5, 1, batches[0])
	for name, f := range ones {
		for i := range tensor.Data[uint8](f) {
			tensor.Data[uint8](f)[i] = 1
		}
		in[name] = f
	}
	if got := loss(g, in); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %v with masks of 1, %v without dropout", got, want)
	}
	for name, f := range masks(t, g, 0.5, 1, batches[0]) {
		in[name] = f
		if got := loss(g, in); math.Abs(got-want) < 1e-9 {
			t.Errorf("dropout at %s changes nothing", name)
		}
		in[name] = ones[name]
	}
}

// The gradient of every weight of every variant, the masks held fixed.
func TestDropoutGradient(t *testing.T) {
	for _, row := range pe.Table() {
		t.Run(row.Name, func(t *testing.T) {
			cfg := micro(row.Name, 1)
			cfg.Train.Batch, cfg.Train.Lengths = 3, "1..3"
			cfg, m, g := dropped(t, cfg, 0.3)
			batches, err := train.Draw(cfg, 0)
			if err != nil {
				t.Fatal(err)
			}
			in := feed(g, batches[0])
			for name, f := range masks(t, g, 0.3, 1, batches[0]) {
				in[name] = f
			}
			graphtest.CheckGrad(t, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
				return train.StepLoss(b, m, models.Mode{Dropout: 0.3})
			}, in, perturbed(m))
		})
	}
}

func TestDropoutErrors(t *testing.T) {
	_, m := resolved(t, micro("nope", 1))
	for _, mode := range []models.Mode{{Dropout: 0.1, Cache: true}, {Dropout: 0.1, Fused: true}} {
		b := graph.NewBuilder()
		if m.Forward(b, mode); b.Err() == nil || !strings.Contains(b.Err().Error(), "dropout") {
			t.Errorf("%+v: error %v", mode, b.Err())
		}
	}
}

func BenchmarkDropout(b *testing.B) {
	cfg := micro("nope", 1)
	cfg.Model.DModel, cfg.Model.NHeads, cfg.Model.DFF, cfg.Train.Batch, cfg.Train.Lengths = 256, 4, 1024, 16, "20..20"
	cfg, _, g := dropped(b, cfg, 0.1)
	batches, err := train.Draw(cfg, 0)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for _, f := range masks(b, g, 0.1, 1, batches[0]) {
		n += f.Len()
	}
	for b.Loop() {
		masks(b, g, 0.1, 1, batches[0])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
}
