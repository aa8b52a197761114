package export

import (
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

const (
	// leastApart is the fewest bytes of a weight that goes to the file beside a large model.
	leastApart = 1024
	// pageSize is what the weights there begin at multiples of, so that they can be mapped.
	pageSize = 4096
)

// apart is a weight in the file beside.
type apart struct {
	tensor *onnxpb.TensorProto
	offset int64
}

// reserve makes room for the weights in the file beside, which are in memory once.
func (f *file) reserve(weights map[string]*tensor.Tensor) {
	size := 0
	for _, t := range weights {
		if n := t.Len() * t.DType().Size(); n >= leastApart {
			size += n + pageSize
		}
	}
	f.data = make([]byte, 0, size)
}

// weight stores the weight of a parameter. Until the file is written a weight in the file beside is part of both.
func (f *file) weight(p *graph.Node, t *tensor.Tensor) error {
	if cap(f.data) == 0 || t.Len()*t.DType().Size() < leastApart {
		return f.initializer(p, p.Name, t)
	}
	offset := (len(f.data) + pageSize - 1) / pageSize * pageSize
	f.data = append(f.data[:offset], t.Raw()...)
	stored := tensorProto(p.Name, t, f.data[offset:])
	f.apart = append(f.apart, apart{stored, int64(offset)})
	return f.store(p, stored)
}
