package native

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// placeTwin does what memory does with the values of one kind, grain by grain.
type placeTwin struct{ used []bool }

// runs returns the free runs of grains below the end, each with its length.
func (p *placeTwin) runs() (holes [][2]int) {
	for i, used := range p.used {
		switch {
		case used:
		case i > 0 && !p.used[i-1]:
			holes[len(holes)-1][1]++
		default:
			holes = append(holes, [2]int{i, 1})
		}
	}
	return holes
}

// take returns the first grain of the smallest run that has room, or of room at the end,
// of which a run that ends there is a part.
func (p *placeTwin) take(grains int) (at int) {
	at = -1
	best := 0
	holes := p.runs()
	for _, h := range holes {
		if h[1] >= grains && (at < 0 || h[1] < best) {
			at, best = h[0], h[1]
		}
	}
	if at < 0 {
		at = len(p.used)
		if n := len(holes); n > 0 && holes[n-1][0]+holes[n-1][1] == at {
			at = holes[n-1][0]
		}
	}
	for len(p.used) < at+grains {
		p.used = append(p.used, false)
	}
	p.set(at, grains, true)
	return at
}

func (p *placeTwin) set(at, grains int, used bool) {
	for i := range grains {
		p.used[at+i] = used
	}
}

// TestPlaces takes and frees places at random, of two kinds, as the twin does.
func TestPlaces(t *testing.T) {
	nodes := map[kind]*graph.Node{floats: {DType: tensor.Float32}, integers: {DType: tensor.Int64}}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var m memory
		m.begin()
		twins := map[kind]*placeTwin{floats: {}, integers: {}}
		var live []*value
		for range 60 {
			if len(live) > 0 && rng.IntN(5) < 2 {
				k := rng.IntN(len(live))
				v := live[k]
				live = slices.Delete(live, k, k+1)
				m.free(v)
				twins[v.kind()].set(v.at/grain, (v.size+grain-1)/grain, false)
			} else {
				v := &value{part: &part{node: nodes[kind(rng.IntN(2))]},
					size: rng.IntN(6)*grain + []int{0, 1, grain - 1}[rng.IntN(3)]}
				m.take(v)
				if want := twins[v.kind()].take((v.size+grain-1)/grain) * grain; v.size > 0 && v.at != want {
					t.Fatalf("seed %d: %d elements lie at %d, want %d", seed, v.size, v.at, want)
				}
				live = append(live, v)
			}
			for kind, twin := range twins {
				r := m.regions[kind]
				var holes []hole
				for _, h := range twin.runs() {
					holes = append(holes, hole{h[0] * grain, h[1] * grain})
				}
				if r.size != len(twin.used)*grain || !slices.Equal(r.holes, holes) {
					t.Fatalf("seed %d: %d elements with the holes %v, want %d with %v", seed, r.size, r.holes,
						len(twin.used)*grain, holes)
				}
			}
		}
		m.begin()
		for _, r := range m.regions {
			if r.size != 0 || len(r.holes) != 0 {
				t.Fatalf("begun again with %d elements and the holes %v", r.size, r.holes)
			}
		}
	}
}

// TestMemoryBound: what a run needs is bounded in all.
func TestMemoryBound(t *testing.T) {
	var m memory
	m.regions[truths].size = maxElements + 1
	if err := m.end(); err == nil || !strings.Contains(err.Error(), "too many elements") {
		t.Errorf("error is %v", err)
	}
	m.begin()
	m.regions[words].size = 3 * grain
	if err := m.end(); err != nil || len(m.w) != 3*grain || m.f != nil {
		t.Errorf("%d words, %d numbers, %v", len(m.w), len(m.f), err)
	}
}

// TestEnlarge: memory that was there grows by an eighth more than it must, unless it is to
// be twice as large at least; memory that is large enough stays.
func TestEnlarge(t *testing.T) {
	for _, tc := range [][3]int{{0, 0, 0}, {0, 8, 8}, {0, 100, 100}, {100, 50, 100}, {100, 100, 100}, {100, 101, 113}, {100, 199, 223},
		{100, 200, 200}, {100, 300, 300}, {1, 2, 2}, {72, 80, 90}} {
		memory := make([]int32, tc[0])
		was := memory
		enlarge(&memory, tc[1])
		if len(memory) != tc[2] {
			t.Errorf("%d grows to %d for %d, want %d", tc[0], len(memory), tc[1], tc[2])
		}
		if same := len(was) > 0 && &memory[0] == &was[0]; tc[0] > 0 && same != (tc[1] <= tc[0]) {
			t.Errorf("%d for %d: the memory is the same: %v", tc[0], tc[1], same)
		}
	}
	var b buffer
	first := b.sized(3)
	if again := b.sized(3); &first[0] != &again[0] || len(b.sized(2)) != 2 || len(b.sized(4)) != 4 {
		t.Error("a buffer that is large enough is made anew, or is of another length")
	}
}
