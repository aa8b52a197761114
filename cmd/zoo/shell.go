package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/nopezoo/zoo/sweep/slurm"
)

// shellWord quotes an argument where a shell would take it apart.
func shellWord(s string) string { return slurm.Quote(s) }

// shellWords splits a command line as a shell does that knows nothing but blanks and
// quotes, which shellWord writes.
func shellWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote, escaped := false, rune(0), false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			inWord, escaped = true, true
		case quote == 0 && (r == '\'' || r == '"'):
			inWord, quote = true, r
		case r == quote:
			quote = 0
		case quote == 0 && unicode.IsSpace(r):
			if inWord {
				words = append(words, word.String())
			}
			inWord = false
			word.Reset()
		default:
			inWord = true
			word.WriteRune(r)
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("a quote is not closed in %q", line)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// again is the command line that goes on with what this one began.
func (a *app) again() string {
	if slices.Contains(a.args, "--resume") {
		return a.repeat()
	}
	return a.repeat() + " --resume"
}

// resumeCommand is the command line that goes on with a run.
func resumeCommand(dir string) string { return "zoo train --resume " + shellWord(dir) }
