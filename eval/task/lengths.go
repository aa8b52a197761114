package task

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// MaxLength is the largest length that can be asked for anywhere.
const MaxLength = 1 << 20

// maxLengths bounds how many lengths one list may have.
const maxLengths = 10_000

const lengthForms = `valid forms: "20", "20..200" (at most ten lengths ending at 200), "20..200+1" (every length), ` +
	`"20..200+20" (steps of 20), "32..4096*2" (doubling), and several of them with commas`

const binForm = `, also "51-100" (a bin)`

// ParseLengths returns the lengths of a list, ascending and each once. A bin is an
// error (see ParseSpans).
//
//	20,40,80    these
//	20..200     at most ten, evenly spaced and ending at 200: 20, 40, …, 200
//	20..200+5   from 20 in steps of 5, as far as 200
//	32..4096*2  from 32, each twice the last, as far as 4096
//
// The spacing of a..b is b/10 rounded up, counted down from b; where that leaves
// out too much (a > b/2) it is instead the widest that gives the most lengths
// up to ten. Forms combine with commas. Lengths run from 1 to MaxLength.
func ParseLengths(list string) ([]int, error) {
	spans, err := parseList(list, lengthForms, func(s Span) error {
		if s.IsBin() {
			return fmt.Errorf("%s is a bin, whose samples have any of its lengths, but here every length stands "+
				"for itself: give some of them, such as %d..%d", s, s.Min, s.Max)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lists.Map(spans, func(s Span) int { return s.Max }), nil
}

// Evenly returns some of lengths that ascend: at most ten, evenly spaced and the last among them.
func Evenly(lengths []int) (some []int) {
	n := min(10, len(lengths))
	for i := range n {
		some = append(some, lengths[len(lengths)-1-i*len(lengths)/n])
	}
	slices.Reverse(some)
	return some
}

// ParseSpans is ParseLengths for what is measured: the list may have bins, too, between
// single lengths or alone. The result is in the order of Span.Compare.
//
//	51-100  one bin: each sample has some length of 51 to 100
func ParseSpans(list string) ([]Span, error) {
	return parseList(list, lengthForms+binForm, func(Span) error { return nil })
}

// parseList reads the parts of a list, of which each span passes check. The error has
// the forms that are valid.
func parseList(list, forms string, check func(Span) error) ([]Span, error) {
	var all []Span
	for part := range strings.SplitSeq(list, ",") {
		spans, err := parsePart(strings.TrimSpace(part))
		if err == nil && len(all)+len(spans) > maxLengths {
			err = fmt.Errorf("more than %d lengths", maxLengths)
		}
		for _, s := range spans {
			err = cmp.Or(err, check(s))
		}
		if err != nil {
			return nil, fmt.Errorf("lengths %q: %w; %s", shorten(list), err, forms)
		}
		all = append(all, spans...)
	}
	return SortSpans(all), nil
}

// ParseRange returns the range of "min..max", with 1 ≤ min ≤ max ≤ MaxLength.
func ParseRange(s string) (Range, error) {
	r, err := parseRange(strings.TrimSpace(s))
	if err != nil {
		return Range{}, fmt.Errorf(`range %q: %w; a range is written "1..20"`, shorten(s), err)
	}
	return r, nil
}

func parseRange(s string) (Range, error) {
	if !strings.Contains(s, "..") {
		return Range{}, errors.New("has no \"..\"")
	}
	return parseEnds(s, "..")
}

// parseEnds reads two numbers, the first not above the second, with something between.
func parseEnds(s, between string) (Range, error) {
	low, high, _ := strings.Cut(s, between)
	from, err := parseNumber(low)
	if err != nil {
		return Range{}, err
	}
	to, err := parseNumber(high)
	if err != nil {
		return Range{}, err
	}
	if to < from {
		return Range{}, fmt.Errorf("%d%s%d runs backwards", from, between, to)
	}
	return Range{from, to}, nil
}

// parseNumber accepts digits alone: no sign, no space, no underscore.
func parseNumber(s string) (int, error) {
	if s == "" {
		return 0, errors.New("a number is missing")
	}
	if strings.Trim(s, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a positive whole number", shorten(s))
	}
	n, err := strconv.Atoi(s)
	if err != nil || n > MaxLength {
		return 0, fmt.Errorf("%s is more than %d", shorten(s), MaxLength)
	}
	if n == 0 {
		return 0, errors.New("0 is not a positive whole number")
	}
	return n, nil
}

func parsePart(part string) ([]Span, error) {
	switch listed := strings.Contains(part, ".."); {
	case !listed && strings.LastIndexByte(part, '-') > 0:
		r, err := parseEnds(part, "-")
		return []Span{Span(r)}, err
	case !listed:
		n, err := parseNumber(part)
		return []Span{At(n)}, err
	}
	lengths, err := parseRow(part)
	return Spans(lengths...), err
}

// parseRow reads "20..200", "20..200+5" or "32..4096*2".
func parseRow(part string) ([]int, error) {
	at := strings.IndexAny(part, "+*")
	if at < 0 {
		r, err := parseRange(part)
		if err != nil {
			return nil, err
		}
		return evenly(r), nil
	}
	r, err := parseRange(part[:at])
	if err != nil {
		return nil, err
	}
	step, err := parseNumber(part[at+1:])
	if err != nil {
		return nil, err
	}
	if part[at] == '*' && step < 2 {
		return nil, errors.New("the factor 1 never reaches the end")
	}
	return progression(r, part[at], step)
}

// progression lists r.Min, r.Min+step, … or r.Min, r.Min·step, … up to r.Max.
func progression(r Range, operator byte, step int) ([]int, error) {
	var out []int
	for n := r.Min; n <= r.Max; {
		if len(out) == maxLengths {
			return nil, fmt.Errorf("more than %d lengths", maxLengths)
		}
		out = append(out, n)
		if operator == '*' {
			n *= step
		} else {
			n += step
		}
	}
	return out, nil
}

// evenly lists at most ten lengths of r that end at r.Max.
func evenly(r Range) []int {
	const most = 10
	step := (r.Max + most - 1) / most
	if width := r.Max - r.Min; r.Min > r.Max/2 {
		gaps := width / (width/most + 1) // as many as fit into most lengths
		step = max(1, width/max(1, gaps))
	}
	var out []int
	for n := r.Max; n >= r.Min; n -= step {
		out = append(out, n)
	}
	slices.Reverse(out)
	return out
}

// shorten keeps error messages short.
func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
