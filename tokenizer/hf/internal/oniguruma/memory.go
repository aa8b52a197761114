package oniguruma

import "fmt"

// mostCells bounds a memory: 128 MiB.
const mostCells = 1 << 25

// memory keeps what instructions with a choice lead to at places of a text. That depends on nothing else:
// not on how they were reached, nor on where the match began.
type memory struct {
	ends  [][]int32 // by instruction and place: failed or the end of the match, shifted so that 0 is unknown
	empty map[emptyKey]int
	cells int
	size  int // of the text
}

// emptyKey is a place within repetitions that began there, which are to end if they take nothing.
type emptyKey struct {
	at, pos int
	empty   uint64
}

// What is known in addition to an end.
const (
	failed  = -1
	unknown = -2
)

func newMemory(instructions, size int) *memory {
	return &memory{ends: make([][]int32, instructions), empty: map[emptyKey]int{}, size: size}
}

func (m *memory) endOf(at, pos int, empty uint64) int {
	switch {
	case empty != 0:
		if end, ok := m.empty[emptyKey{at, pos, empty}]; ok {
			return end
		}
		return unknown
	case m.ends[at] == nil:
		return unknown
	}
	return int(m.ends[at][pos]) + unknown
}

func (m *memory) keep(at, pos int, empty uint64, end int) error {
	grows := 0
	switch {
	case empty != 0:
		grows = 16 // about what an entry takes
	case m.ends[at] == nil:
		grows = m.size + 1
	}
	if m.cells += grows; m.cells > mostCells {
		return fmt.Errorf("it takes more than %d MiB on a text of %d bytes", mostCells>>18, m.size)
	}
	if empty != 0 {
		m.empty[emptyKey{at, pos, empty}] = end
		return nil
	}
	if m.ends[at] == nil {
		m.ends[at] = make([]int32, m.size+1)
	}
	m.ends[at][pos] = int32(end - unknown)
	return nil
}
