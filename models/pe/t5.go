package pe

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"sort"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// t5 adds to the logit of query t and key j a learned number per head and bucket
// of the distance t − j; all layers share the one table (Raffel et al. 2020,
// arXiv 1910.10683, section 2.1). Buckets are a causal model's: with N
// buckets up to the distance M, half of them hold one distance each, the others
// grow logarithmically, and the last holds all that is farther:
// r for r < N/2, else min(N−1, N/2 + ⌊N/2 · ln(r/(N/2)) / ln(M/(N/2))⌋).
type t5 struct {
	NoPE
	heads, buckets int
	bucket         []int64 // of distances 0 … len−1, the last bucket's first
	std            float64
}

// t5Settings are the settings.
type t5Settings struct {
	Buckets     int `json:"buckets" about:"N; default 32"`
	MaxDistance int `json:"max_distance" about:"M, in tokens; default 128"`
}

func newT5(d Dims, p t5Settings) (Encoding, error) {
	p.Buckets = cmp.Or(p.Buckets, 32)
	p.MaxDistance = cmp.Or(p.MaxDistance, 128)
	if p.Buckets < 4 || p.Buckets > 256 || p.Buckets%2 != 0 {
		return nil, fmt.Errorf("buckets %d: want an even number from 4 to 256", p.Buckets)
	}
	if p.MaxDistance <= p.Buckets/2 || p.MaxDistance > 1<<16 {
		return nil, fmt.Errorf("max_distance %d: want more than half of the %d buckets, and at most %d",
			p.MaxDistance, p.Buckets, 1<<16)
	}
	bucket := t5Buckets(p.Buckets, p.MaxDistance)
	return t5{heads: d.Heads, buckets: p.Buckets, bucket: bucket, std: 1 / math.Sqrt(float64(d.Model))}, nil
}

// t5Buckets returns the bucket of each distance up to the first of the last
// bucket. Logarithms, in any precision, may round a distance on a boundary
// to the wrong side, so bucket half+k starts at the least r with
// (r/half)^half ≥ (M/half)^k in whole numbers.
func t5Buckets(buckets, maxDistance int) []int64 {
	half := buckets / 2
	bucket := lists.Make(half, func(r int) int64 { return int64(r) })
	for k := 1; k < half; k++ {
		right := product(power(maxDistance, k), power(half, half))
		start := sort.Search(maxDistance, func(r int) bool {
			return product(power(r, half), power(half, k)).Cmp(right) >= 0
		})
		for len(bucket) < start {
			bucket = append(bucket, int64(half+k-1))
		}
	}
	return append(bucket, int64(buckets-1))
}

func power(x, n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(int64(x)), big.NewInt(int64(n)), nil)
}

func product(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }

const t5Table = "relative_bias.weight"

// Params implements Encoding: the table [buckets, H], started like T5's.
func (e t5) Params() []Param {
	return []Param{{Name: t5Table, Shape: []int{e.buckets, e.heads}, Std: e.std}}
}

// Bias implements Encoding: table[bucket(t−j), h], [1,H,T,S]. It does not depend
// on the layer, so all layers read one node.
func (e t5) Bias(s *Site) *graph.Node {
	b := s.B
	last := b.Const(tensor.Of([]int64{int64(len(e.bucket) - 1)}))
	zero := b.Const(tensor.Of([]int64{0}))
	d := s.Distances()
	rows := d.Dim(0) // 1, or B where positions are randomized
	d = b.Reshape(d, rows.Mul(s.Seq), s.Total)
	d = b.Where(b.Greater(d, zero), d, zero) // later keys are masked anyway
	d = b.Where(b.Greater(d, last), last, d)
	byDistance := b.Gather(s.Param(t5Table), b.Ints(e.bucket...), 0) // [distances,H]
	bias := b.Transpose(b.Gather(byDistance, d, 0), 2, 0, 1)         // [H,rows·T,S]
	if !s.Randomized {
		return b.Unsqueeze(bias, 0)
	}
	return b.Transpose(b.Reshape(bias, graph.N(e.heads), rows, s.Seq, s.Total), 1, 0, 2, 3)
}
