package hf

import (
	"cmp"
	"slices"
	"sync"
	"unicode"
)

// inScript is characters that follow one another and are of one script.
type inScript struct {
	from, to rune
	script   string
}

// byScript has the characters of all scripts, in their order.
var byScript = sync.OnceValue(func() (all []inScript) {
	add := func(from, to, stride rune, script string) {
		if stride == 1 {
			all = append(all, inScript{from, to, script})
			return
		}
		for c := from; c <= to; c += stride {
			all = append(all, inScript{c, c, script})
		}
	}
	for script, table := range unicode.Scripts {
		if script == "Hiragana" || script == "Katakana" {
			script = "Han" // as SentencePiece has it, so that Japanese words stay whole
		}
		for _, r := range table.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride), script)
		}
		for _, r := range table.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride), script)
		}
	}
	slices.SortFunc(all, func(a, b inScript) int { return cmp.Compare(a.from, b.from) })
	return all
})

// scriptOf returns a character's script; "" goes with any, as spaces and what is not assigned do.
func scriptOf(r rune) string {
	switch r {
	case ' ':
		return ""
	case 'ー': // of no script: it makes vowels long in two
		return "Han"
	}
	all := byScript()
	i, _ := slices.BinarySearchFunc(all, r, func(s inScript, r rune) int { return cmp.Compare(s.to, r) })
	if i < len(all) && all[i].from <= r {
		return all[i].script
	}
	return ""
}

// scripts has the parts of a text that are of one script between matches. What goes with any script is in the part
// before; where there is none it is a match, which the library leaves out.
func scripts(_ *walk, s string) (out []span, err error) {
	from, last := 0, ""
	for i, r := range s {
		script := scriptOf(r)
		if script == "" || script == last {
			continue
		}
		if i > 0 {
			out = append(out, span{from, i, last == ""})
		}
		from, last = i, script
	}
	if s != "" {
		out = append(out, span{from, len(s), last == ""})
	}
	return out, nil
}
