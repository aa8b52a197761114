package oniguruma

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/nopezoo/zoo/internal/lists"
)

var (
	anyCharacter = ranges{{0, unicode.MaxRune}}
	newline      = one('\n')
	hexDigits    = ranges{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}
)

// superscripts is the characters of Latin-1 that \w and \b count as parts of words, but no class does.
var superscripts = ranges{{0xb2, 0xb3}, {0xb9, 0xb9}, {0xbc, 0xbe}}

func tables(list ...*unicode.RangeTable) ranges {
	all := lists.Map(list, ofTable)
	return union(all...)
}

// posix has the names of brackets [:name:], which are properties, too.
var posix = map[string]func() ranges{
	"alpha": func() ranges { return tables(unicode.L, unicode.Nl, unicode.Other_Alphabetic) },
	"alnum": func() ranges { return tables(unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.Nd) },
	"ascii": func() ranges { return ranges{{0, unicode.MaxASCII}} },
	"blank": func() ranges { return union(one('\t'), tables(unicode.Zs)) },
	"cntrl": func() ranges { return tables(unicode.Cc) },
	"digit": func() ranges { return tables(unicode.Nd) },
	"graph": func() ranges { return notInk(unicode.White_Space) },
	"lower": func() ranges { return tables(unicode.Ll, unicode.Other_Lowercase) },
	"print": func() ranges { return notInk(unicode.Zl, unicode.Zp) },
	"punct": func() ranges { return tables(unicode.P, unicode.S) },
	"space": func() ranges { return tables(unicode.White_Space) },
	"upper": func() ranges { return tables(unicode.Lu, unicode.Other_Uppercase) },
	"word": func() ranges {
		return tables(unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic)
	},
	"xdigit": func() ranges { return hexDigits },
}

// notInk is the characters that are assigned, except controls, surrogates and the tables'.
func notInk(list ...*unicode.RangeTable) ranges {
	return tables(append(list, unicode.Cc, unicode.Cn, unicode.Cs)...).complement()
}

// property returns the characters of a property by its name, of which case, spaces, - and _ do not count.
func property(name string) (ranges, error) {
	key := plainName(name)
	switch key {
	case "any":
		return anyCharacter, nil
	case "assigned":
		return tables(unicode.Cn).complement(), nil
	case "alphabetic":
		key = "alpha"
	case "uppercase":
		key = "upper"
	case "lowercase":
		key = "lower"
	}
	for alias, category := range unicode.CategoryAliases {
		if plainName(alias) == key {
			return tables(unicode.Categories[category]), nil
		}
	}
	for _, list := range []map[string]*unicode.RangeTable{unicode.Categories, unicode.Scripts, unicode.Properties} {
		for known, table := range list {
			if plainName(known) == key {
				return tables(table), nil
			}
		}
	}
	if f, ok := posix[key]; ok {
		return f(), nil
	}
	return nil, fmt.Errorf(`the property \p{%s} is not supported`, name)
}

func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
}
