package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/zoo"
)

// Program is a zoo that runs commands.
type Program struct {
	Path    string    // such as os.Executable returns
	Environ []string  // such as os.Environ(); settings in it are left out
	Output  io.Writer // of all that it prints; nil drops it
}

// Retrain trains a model by a manifest's command, which begins with "zoo train", in a temporary folder.
// When ctx ends the program is interrupted.
func Retrain(ctx context.Context, command string, p Program) (modelfile.Model, error) {
	words, err := shellWords(command)
	if err != nil || len(words) < 2 || words[0] != "zoo" || words[1] != "train" {
		wrong := fmt.Errorf("the manifest's command is %q: want one that begins with zoo train", command)
		return modelfile.Model{}, errors.Join(wrong, err)
	}
	folder, err := os.MkdirTemp("", "zoo-check-")
	if err != nil {
		return modelfile.Model{}, err
	}
	defer os.RemoveAll(folder)
	c := exec.CommandContext(ctx, p.Path, append(words[1:], "--runs", folder)...)
	c.Env = configs.WithoutSettings(p.Environ)
	c.Stdout, c.Stderr = p.Output, p.Output
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	if err := c.Run(); err != nil {
		return modelfile.Model{}, errors.Join(fmt.Errorf("training again: %w", err), ctx.Err())
	}
	runs, err := os.ReadDir(folder)
	if err != nil || len(runs) != 1 {
		return modelfile.Model{}, fmt.Errorf("%q made %d runs, want one (%v)", command, len(runs), err)
	}
	run, err := zoo.Find(filepath.Join(folder, runs[0].Name()), zoo.Options{})
	if err != nil {
		return modelfile.Model{}, err
	}
	return run.Load()
}

// shellWords splits a command line as a shell does that knows nothing but blanks and
// quotes.
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
