package train

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
)

// dropout makes the masks that a step's graph multiplies activations with: 0
// with probability rate, else 1 (Srivastava et al. 2014). A mask's element
// depends on the seed, the step, its site, the sequence's number within the
// batch and the element's place in the sequence (or, where sequences share it, on
// the distance), and on nothing else: the same
// run draws the same masks when it is resumed and however it cuts its batches.
//
// They are bytes. ONNX Runtime takes them for floats in DequantizeLinear three times as fast as
// it selects by bool.
type dropout struct {
	drop  uint32 // of 65536 draws, how many are dropped
	seed  uint64
	sites []site
}

// site is one place of dropout.
type site struct {
	input *graph.Node // [B,T,width], [B,H,T,S] for attention weights, or [S,width] by distance
	key   uint64
	last  []uint8 // memory of the last call, used again
}

// draws is how many numbers an element is drawn from.
const draws = 65536

// drawnRate is the nearest rate that elements can be drawn with.
func drawnRate(rate float64) float64 { return math.Round(rate*draws) / draws }

// newDropout finds the sites of a step graph: its inputs of that name.
func newDropout(g *graph.Graph, rate float64, seed uint64) *dropout {
	d := &dropout{drop: uint32(drawnRate(rate) * draws), seed: seed}
	for _, in := range g.Inputs {
		if strings.HasPrefix(in.Name, models.DropoutPrefix) {
			h := fnv.New64a()
			h.Write([]byte(in.Name))
			d.sites = append(d.sites, site{input: in, key: h.Sum64()})
		}
	}
	return d
}

// masks returns the value of every site for a batch. They are valid until the
// next call.
func (d *dropout) masks(b batch) (map[string]*tensor.Tensor, error) {
	batch, seq := b.IDs.Shape()[0], b.IDs.Shape()[1]
	all := make([]*tensor.Tensor, len(d.sites))
	for i := range d.sites {
		s := &d.sites[i]
		shape := make([]int, len(s.input.Shape))
		for k, dim := range s.input.Shape {
			var err error
			if shape[k], err = dim.Eval(map[string]int{card.Batch: batch, card.Seq: seq}); err != nil {
				return nil, fmt.Errorf("train: %s: %w", s.input.Name, err)
			}
		}
		n := tensor.Numel(shape)
		s.last = slices.Grow(s.last[:0], n)[:n]
		all[i] = tensor.Of(s.last, shape...)
	}
	tensor.Parallel(len(all), func(i int) {
		k := key(d.seed).with(uint64(b.Step)).with(d.sites[i].key)
		if len(all[i].Shape()) == 2 {
			d.shared(k, tensor.Data[uint8](all[i]), all[i].Shape())
			return
		}
		for row := range batch {
			n := all[i].Len() / batch
			d.fill(k.with(uint64(b.First+row)), tensor.Data[uint8](all[i])[row*n:][:n], all[i].Shape()[1:])
		}
	})
	out := make(map[string]*tensor.Tensor, len(all))
	for i, s := range d.sites {
		out[s.input.Name] = all[i]
	}
	return out, nil
}

// fill draws the masks of one sequence, row by row: of every token, or of every
// head and token, so that they do not depend on how far the sequence is padded.
func (d *dropout) fill(k key, out []uint8, shape []int) {
	if len(shape) == 2 {
		for t := range shape[0] {
			d.row(k.with(uint64(t)), out[t*shape[1]:][:shape[1]])
		}
		return
	}
	for h := range shape[0] {
		for t := range shape[1] {
			row := out[(h*shape[1]+t)*shape[2]:][:shape[2]]
			d.row(k.with(uint64(h)).with(uint64(t)), row[:t+1])
			clear(row[t+1:]) // later keys have no weight
		}
	}
}

// shared draws the mask of [S,width], in rows from the greatest distance to 0.
func (d *dropout) shared(k key, out []uint8, shape []int) {
	for row := range shape[0] {
		d.row(k.with(uint64(shape[0]-1-row)), out[row*shape[1]:][:shape[1]])
	}
}

// row draws four elements from each number of the generator, 16 bits for each.
func (d *dropout) row(k key, out []uint8) {
	for i := 0; i < len(out); i += 4 {
		bits := k.at(uint64(i / 4))
		for j := i; j < min(i+4, len(out)); j++ {
			dropped := uint32(int32(bits&0xffff)-int32(d.drop)) >> 31 // 1 where bits < drop
			out[j] = uint8(1 - dropped)
			bits >>= 16
		}
	}
}

// key is a stream of the generator SplitMix64 (Steele, Lea & Flood 2014), whose
// numbers can be had in any order.
type key uint64

const golden = 0x9e3779b97f4a7c15

// at returns number i of the stream.
func (k key) at(i uint64) uint64 {
	z := uint64(k) + (i+1)*golden
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// with returns the stream of a coordinate within this one.
func (k key) with(coordinate uint64) key { return key(k.at(coordinate)) }
