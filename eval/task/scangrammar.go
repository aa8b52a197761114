package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/wrap"
)

// The grammar of SCAN (Lake and Baroni 2018, arXiv 1711.00350). A command is a
// phrase, or two joined by "and" or "after"; a phrase is an act, done once, twice
// or thrice.
//
//	walk                    Walk
//	walk left               Left Walk
//	walk opposite left      Left Left Walk
//	walk around left        Left Walk, four times
//	turn left               Left                (turn: as any verb, but without its own action)
//	turn opposite left      Left Left
//	turn around left        Left Left Left Left
//	X twice, X thrice       X X, X X X
//	X and Y                 X Y
//	X after Y               Y X

func scanVerbs() []string      { return []string{"walk", "look", "run", "jump"} }
func scanDirections() []string { return []string{"left", "right"} }

// phrase is a phrase and its actions.
type phrase struct {
	text    string
	actions []string
}

// scanPhrases returns the 102 phrases, in a fixed order.
func scanPhrases() []phrase {
	var acts []string
	for _, verb := range append(scanVerbs(), "turn") {
		if verb != "turn" {
			acts = append(acts, verb)
		}
		for _, form := range []string{" ", " opposite ", " around "} {
			for _, d := range scanDirections() {
				acts = append(acts, verb+form+d)
			}
		}
	}
	var out []phrase
	for _, act := range acts {
		for _, times := range []string{"", " twice", " thrice"} {
			actions, err := scanPhrase(strings.Fields(act + times))
			if err != nil {
				panic(fmt.Sprintf("task scan: %v", err)) // the grammar disagrees with itself
			}
			out = append(out, phrase{act + times, actions})
		}
	}
	return out
}

// scanActions returns the actions of a command.
func scanActions(command string) ([]string, error) {
	words := strings.Fields(command)
	at := slices.IndexFunc(words, func(w string) bool { return w == "and" || w == "after" })
	if at < 0 {
		return scanPhrase(words)
	}
	x, err := scanPhrase(words[:at])
	if err != nil {
		return nil, err
	}
	y, err := scanPhrase(words[at+1:])
	if err != nil {
		return nil, err
	}
	if words[at] == "after" {
		x, y = y, x
	}
	return slices.Concat(x, y), nil
}

func scanPhrase(words []string) ([]string, error) {
	phrase := strings.Join(words, " ")
	times := 1
	if n := len(words); n > 0 && (words[n-1] == "twice" || words[n-1] == "thrice") {
		times = 2
		if words[n-1] == "thrice" {
			times = 3
		}
		words = words[:n-1]
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("phrase %q: no verb", shorten(phrase))
	}
	var act []string
	if words[0] != "turn" {
		if !slices.Contains(scanVerbs(), words[0]) {
			return nil, fmt.Errorf("phrase %q: unknown verb %q", shorten(phrase), shorten(words[0]))
		}
		act = []string{capital(words[0])}
	}
	act, err := scanTurn(act, words[1:])
	return wrap.Value(slices.Repeat(act, times), err, "phrase %q", shorten(phrase))
}

// scanTurn puts the turns that rest names around act, which is empty for "turn".
func scanTurn(act, rest []string) ([]string, error) {
	if len(rest) == 0 && len(act) == 1 {
		return act, nil
	}
	form := ""
	if len(rest) == 2 {
		form, rest = rest[0], rest[1:]
	}
	if len(rest) != 1 || !slices.Contains(scanDirections(), rest[0]) {
		return nil, fmt.Errorf("expected left or right, with or without opposite or around before it")
	}
	turn := []string{capital(rest[0])}
	switch form {
	case "":
		return slices.Concat(turn, act), nil
	case "opposite":
		return slices.Concat(turn, turn, act), nil
	case "around":
		return slices.Repeat(slices.Concat(turn, act), 4), nil
	}
	return nil, fmt.Errorf("unknown manner %q", shorten(form))
}

func capital(w string) string { return strings.ToUpper(w[:1]) + w[1:] }
