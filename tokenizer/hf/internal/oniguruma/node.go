package oniguruma

// kind is what a node of an expression is.
type kind uint8

const (
	kindSet      kind = iota // one character
	kindSequence             // parts one after the other
	kindChoice               // the first part that leads to a match
	kindRepeat               // its part, least to most times
	kindAtomic               // its part, by the first way that matches alone
	kindLook                 // nothing, where its part matches
	kindAnchor               // nothing, at certain places
	kindLetter               // one character, which is not looked at yet with its neighbours
)

// anchor is a kind of place between characters.
type anchor uint8

const (
	textStart   anchor = iota // \A
	textEnd                   // \z
	lastEnd                   // \Z: or before a line's end there
	lineStart                 // ^
	lineEnd                   // $
	boundary                  // \b
	notBoundary               // \B
)

// node is an expression.
type node struct {
	kind  kind
	parts []*node
	set   *set

	least, most int // most < 0: no bound
	lazy        bool
	possessive  bool

	behind, negative bool // of a look
	anchor           anchor
	letter           rune

	empty bool    // it may match the empty text
	first byteSet // what other matches begin with
}

func setNode(r ranges) *node {
	s := newSet(r)
	return &node{kind: kindSet, set: s, first: s.firstBytes()}
}

func sequence(parts []*node) *node {
	if len(parts) == 1 {
		return parts[0]
	}
	n := &node{kind: kindSequence, parts: parts, empty: true}
	for _, p := range parts {
		if n.empty {
			n.first.or(p.first)
		}
		n.empty = n.empty && p.empty
	}
	return n
}

// grouped is a node that a quantifier may follow, with any contents.
func grouped(n *node) *node {
	return &node{kind: kindSequence, parts: []*node{n}, empty: n.empty, first: n.first}
}

func alternation(parts []*node) *node {
	if len(parts) == 1 {
		return parts[0]
	}
	n := &node{kind: kindChoice, parts: parts}
	for _, p := range parts {
		n.first.or(p.first)
		n.empty = n.empty || p.empty
	}
	return n
}

func atomic(part *node) *node {
	return &node{kind: kindAtomic, parts: []*node{part}, empty: part.empty, first: part.first}
}

func look(part *node, behind, negative bool) *node {
	return &node{kind: kindLook, parts: []*node{part}, behind: behind, negative: negative, empty: true}
}

func letterNode(c rune) *node { return &node{kind: kindLetter, letter: c} }

func anchorNode(a anchor) *node { return &node{kind: kindAnchor, anchor: a, empty: true} }

func repeated(part *node, q quantifier) *node {
	if q.most == 0 {
		return sequence(nil)
	}
	return &node{kind: kindRepeat, parts: []*node{part}, least: q.least, most: q.most, lazy: q.lazy, possessive: q.possessive,
		empty: part.empty || q.least == 0, first: part.first}
}
