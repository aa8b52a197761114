package pe

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Pattern says what each layer of a model has: its first element for the first layer,
// and after the last one it begins again. As text, elements have slashes between them,
// and those that follow each other are counted: "rope*3/nope" is three layers with rope,
// one with nope, and so on.
type Pattern []string

// maxRepeat bounds the count after a star; no model has so many layers.
const maxRepeat = 1 << 10

// counted is an element as names of files and models have it: 3rope.
var counted = regexp.MustCompile(`(^|/)(\d+)([a-z][^/]*)`)

// ParsePattern reads the text of a pattern, also in the form that it has in names of files and
// models, "3rope+nope" (see card.Card.Name), and makes it as short as it can be. One that is
// longer than a model of so many layers is an error, or 0 for any. Whether its elements are
// known is for the caller to see.
func ParsePattern(text string, layers int) (Pattern, error) {
	text = counted.ReplaceAllString(strings.ReplaceAll(text, "+", "/"), "$1$3*$2")
	var p Pattern
	for part := range strings.SplitSeq(text, "/") {
		element, count, repeated := strings.Cut(part, "*")
		n := 1
		if repeated {
			var err error
			if n, err = strconv.Atoi(count); err != nil || n < 1 || n > maxRepeat {
				return nil, fmt.Errorf("pattern %q: *%s: want a number of layers from 1 to %d after the star",
					text, count, maxRepeat)
			}
		}
		if element == "" {
			return nil, fmt.Errorf("pattern %q has an empty part; leave out the slash, or say what the layer has", text)
		}
		p = append(p, slices.Repeat([]string{element}, n)...)
	}
	p = p.shortest()
	return p, p.checkLayers(layers)
}

// shortest returns the shortest pattern that is the same in every layer.
func (p Pattern) shortest() Pattern {
	for n := 1; n < len(p); n++ {
		if len(p)%n == 0 && slices.Equal(p[n:], p[:len(p)-n]) {
			return p[:n]
		}
	}
	return p
}

// at returns the element of a layer, counted from 0.
func (p Pattern) at(layer int) string { return p[layer%len(p)] }

// checkLayers refuses a pattern whose end no layer would have; 0 layers are any number.
func (p Pattern) checkLayers(layers int) error {
	if len(p) <= layers || layers == 0 {
		return nil
	}
	return fmt.Errorf("pattern %v is %d layers long, and the model has n_layers %d; shorten it, or give --set model.n_layers=%d",
		p, len(p), layers, len(p))
}

// String returns the text that ParsePattern reads.
func (p Pattern) String() string {
	var parts []string
	for i := 0; i < len(p); {
		n := 1
		for i+n < len(p) && p[i+n] == p[i] {
			n++
		}
		part := p[i]
		if n > 1 {
			part += "*" + strconv.Itoa(n)
		}
		parts = append(parts, part)
		i += n
	}
	return strings.Join(parts, "/")
}
