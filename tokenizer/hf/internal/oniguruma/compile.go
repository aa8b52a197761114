package oniguruma

import "fmt"

// mostInstructions bounds a program: repetitions within one another multiply. Tokenizers' have less
// than two hundred instructions.
const mostInstructions = 1 << 13

// operation is what an instruction does at a place of the text.
type operation uint8

const (
	opMatch   operation = iota // all, or a part, has matched
	opSet                      // takes a character
	opSetBack                  // takes the one before
	opRun                      // takes characters of a set, at most so many; fewer, if what follows wants them
	opRunAll                   // takes them, and keeps them
	opSplit                    // goes on, or else at other
	opAnchor                   // asks for a kind of place
	opLook                     // asks whether other matches
	opAtomic                   // takes what other matches first
	opBegin                    // a repetition begins that may be empty
	opEnd                      // it ends: goes on, or at other if it was empty
)

// instruction is a part of a program. Next is where it goes on.
type instruction struct {
	op          operation
	set         *set
	next, other int
	most        int      // opRun and opRunAll: < 0 for no bound
	want        *byteSet // what the match behind begins with: of opSplit that at next, of opRun the rest; nil: anything
	anchor      anchor
	negative    bool   // opLook
	bit         uint64 // opBegin, opEnd: the repetition's
}

// program is an expression to run; where every way ends is instruction 0, opMatch.
type program struct {
	code  []instruction
	start int
	want  *byteSet // what a match begins with, nil: anything, or nothing
}

// compiler writes programs. Each part is written with what comes behind it.
type compiler struct {
	code   []instruction
	loops  int  // that may be empty, around what is written
	behind bool // texts are read from their end
}

func compile(n *node) (*program, error) {
	c := &compiler{code: []instruction{{op: opMatch}}}
	start, err := c.write(n, 0, nil)
	if err != nil {
		return nil, err
	}
	return &program{c.code, start, n.want(nil)}, nil
}

// want returns what a match of n, and of what comes behind it, begins with.
func (n *node) want(behind *byteSet) *byteSet {
	first := n.first
	if n.empty {
		if behind == nil {
			return nil
		}
		first.or(*behind)
	}
	return &first
}

func (c *compiler) add(i instruction) (int, error) {
	if len(c.code) == mostInstructions {
		return 0, fmt.Errorf("it takes more than %d instructions; its repetitions multiply", mostInstructions)
	}
	c.code = append(c.code, i)
	return len(c.code) - 1, nil
}

// write returns where n begins that goes on at next, where the rest begins with want.
func (c *compiler) write(n *node, next int, want *byteSet) (at int, err error) {
	switch n.kind {
	case kindSet:
		op := opSet
		if c.behind {
			op = opSetBack
		}
		return c.add(instruction{op: op, set: n.set, next: next})
	case kindSequence:
		for i := range n.parts {
			part := n.parts[len(n.parts)-1-i]
			if c.behind {
				part = n.parts[i]
			}
			if next, err = c.write(part, next, want); err != nil {
				return 0, err
			}
			want = part.want(want)
		}
		return next, nil
	case kindChoice:
		last := len(n.parts) - 1
		at, err = c.write(n.parts[last], next, want)
		for i := last - 1; i >= 0 && err == nil; i-- {
			at, err = c.split(n.parts[i], at, func() (int, error) { return c.write(n.parts[i], next, want) })
		}
		return at, err
	case kindRepeat:
		if n.possessive {
			return c.possessive(n, next)
		}
		return c.repeat(n, next, want)
	case kindAtomic:
		if c.behind {
			return 0, fmt.Errorf("an atomic group or possessive quantifier within a lookbehind is not supported")
		}
		part, err := c.write(n.parts[0], 0, nil)
		if err != nil {
			return 0, err
		}
		return c.add(instruction{op: opAtomic, other: part, next: next})
	case kindLook:
		defer func(behind bool) { c.behind = behind }(c.behind)
		c.behind = n.behind
		part, err := c.write(n.parts[0], 0, nil)
		if err != nil {
			return 0, err
		}
		return c.add(instruction{op: opLook, other: part, next: next, negative: n.negative})
	default:
		return c.add(instruction{op: opAnchor, anchor: n.anchor, next: next})
	}
}

// split writes a choice of n, which write writes, before what is at other.
func (c *compiler) split(n *node, other int, write func() (int, error)) (int, error) {
	at, err := write()
	if err != nil {
		return 0, err
	}
	i := instruction{op: opSplit, next: at, other: other}
	if !c.behind {
		i.want = n.want(nil)
	}
	return c.add(i)
}

// possessive writes a repetition that gives nothing back.
func (c *compiler) possessive(n *node, next int) (int, error) {
	part := n.parts[0]
	if part.kind != kindSet || n.most > 1 || c.behind {
		greedy := *n
		greedy.possessive = false
		return c.write(atomic(&greedy), next, nil)
	}
	at, err := c.add(instruction{op: opRunAll, set: part.set, most: n.most, next: next})
	if err != nil || n.least == 0 {
		return at, err
	}
	return c.write(part, at, nil)
}

// repeat writes a repetition: least times its part, and then the others.
func (c *compiler) repeat(n *node, next int, want *byteSet) (at int, err error) {
	part := n.parts[0]
	least := n.least
	switch {
	case part.kind == kindSet && !n.lazy && !c.behind:
		at = next
		if n.most != least {
			at, err = c.add(instruction{op: opRun, set: part.set, most: max(n.most-least, -1), next: next, want: want})
		}
	case n.most < 0:
		if at, err = c.loop(n, next); err == nil && least > 0 && !part.empty {
			at, least = c.code[at].body(n.lazy), least-1
		}
	default:
		at = next
		for i := least; i < n.most && err == nil; i++ {
			at, err = c.optional(n, at, next)
		}
	}
	for range least {
		if err != nil {
			return 0, err
		}
		at, err = c.write(part, at, nil)
	}
	return at, err
}

// optional writes a part that goes on at the rest of a repetition, or else nothing, which goes on at next.
func (c *compiler) optional(n *node, rest, next int) (int, error) {
	part := n.parts[0]
	if !n.lazy {
		return c.split(part, next, func() (int, error) { return c.write(part, rest, nil) })
	}
	at, err := c.write(part, rest, nil)
	if err != nil {
		return 0, err
	}
	return c.add(instruction{op: opSplit, next: next, other: at})
}

// loop writes a part any number of times. An empty one is the last.
func (c *compiler) loop(n *node, next int) (int, error) {
	part := n.parts[0]
	loop, err := c.add(instruction{op: opSplit})
	if err != nil {
		return 0, err
	}
	at := loop
	if part.empty {
		bit := uint64(1) << c.loops
		c.loops++
		if at, err = c.add(instruction{op: opEnd, bit: bit, next: loop, other: next}); err == nil {
			at, err = c.write(part, at, nil)
		}
		c.loops--
		if err == nil {
			at, err = c.add(instruction{op: opBegin, bit: bit, next: at})
		}
	} else {
		at, err = c.write(part, at, nil)
	}
	if err != nil {
		return 0, err
	}
	i := instruction{op: opSplit, next: at, other: next}
	if n.lazy {
		i.next, i.other = next, at
	} else if !c.behind {
		i.want = part.want(nil)
	}
	c.code[loop] = i
	return loop, nil
}

// body returns where the part begins that a loop's instruction repeats.
func (i instruction) body(lazy bool) int {
	if lazy {
		return i.other
	}
	return i.next
}
