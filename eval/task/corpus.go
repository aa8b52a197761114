package task

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"unicode/utf8"

	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/tokenizer"
)

// corpus is running text, divided into documents. A model learns every token of it, and is
// measured by bits per byte (package eval). Its methods read the corpus when they need it.
type corpus struct {
	name fileName
	text func() (texts, error)
}

// TrainedWindow is the length of training windows of a corpus where nothing is said.
const TrainedWindow = 256

// MinDocuments is how many documents must be longer than a window for windows of its length
// to be drawn: of fewer, numbers would tell more of the documents than of the model.
const MinDocuments = 4

// validCorpus is a name, not a path: of a corpus in corpusFolder.
var validCorpus = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// corpusFolder is where corpora lie that are known by a name alone, in the per-user cache.
func corpusFolder() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no per-user cache folder for corpora: %w; name a corpus by its path", err)
	}
	return filepath.Join(dir, "zoo", "corpora"), nil
}

// CorpusPath is where the corpus of a name is that stands after "text:", a path itself or one
// in corpusFolder.
func CorpusPath(name string) (string, error) {
	if !validCorpus.MatchString(name) {
		return name, nil
	}
	dir, err := corpusFolder()
	return filepath.Join(dir, name+".jsonl"), err
}

// lookupText returns the task of a corpus. One of a name with a digest is not read yet: what
// is not there, or has other contents, is an error of what needs its text.
func lookupText(name string) (Task, error) {
	f, err := parseFileName(name, textKind)
	if err != nil {
		return Task{}, err
	}
	if f.digest == "" {
		_, digest, err := openText(f)
		if err != nil {
			return Task{}, err
		}
		if err := f.holds(digest); err != nil {
			return Task{}, err
		}
	}
	return Task{
		Name: f.results(), stored: f.String(),
		Version:     2, // since windows of all lengths end at the same places
		Description: fmt.Sprintf("running text of the corpus %s; a length is tokens of context", f.path),
		Train:       Range{TrainedWindow, TrainedWindow},
		Beyond:      Range{2 * TrainedWindow, 16 * TrainedWindow},
		Lengths:     Range{1, MaxLength},
		Space:       func(int) float64 { return math.Inf(1) },
		Correct:     func(target, generated string) bool { return target == generated },
		Chance:      func(int) float64 { return 0 },
		Corpus: &corpus{f, func() (texts, error) {
			all, digest, err := openText(f)
			if err == nil {
				err = f.holds(digest)
			}
			return all, err
		}},
	}, nil
}

func openText(f fileName) (texts, string, error) {
	path, err := CorpusPath(f.path)
	if err != nil {
		return nil, "", fmt.Errorf("task %s: %w", f.named(), err)
	}
	all, digest, err := openedCorpora.open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && path != f.path:
		err = fmt.Errorf("there is no corpus %[1]s; fetch it by zoo data fetch %[1]s, if zoo data fetch lists it, or make it of "+
			"files: zoo data --text FILE -o %[2]s; or name a corpus by its path, such as ./%[1]s.jsonl", f.path, path)
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w; a path is from the folder in which zoo runs: bring the file there, or name it where it is", err)
	}
	if err != nil {
		return nil, "", wrap.Error(err, "task %s", f.named())
	}
	return all, digest, nil
}

// Documents returns the documents of a split, at least one.
func (c *corpus) Documents(split Split) ([]Document, error) {
	if err := split.check(); err != nil {
		return nil, fmt.Errorf("task %s: %w", c.name.named(), err)
	}
	all, err := c.text()
	if err != nil {
		return nil, err
	}
	if len(all[split]) == 0 {
		return nil, fmt.Errorf("task %s: %w: none of its %d documents is in %q; a corpus wants dozens of documents: "+
			"cut the text into more (zoo data --text --separator), or add some", c.name.named(), ErrNoSplit, len(all[Whole]), split)
	}
	return all[split], nil
}

// Encoded returns the documents of a split as tokens, in the order of the corpus.
func (c *corpus) Encoded(tok tokenizer.Coder, split Split) ([][]int64, error) {
	documents, err := c.Documents(split)
	if err != nil {
		return nil, err
	}
	out := make([][]int64, len(documents))
	for i, d := range documents {
		if out[i], err = tok.Encode(context.Background(), d.Text); err != nil {
			return nil, fmt.Errorf("task %s: document %d of %q (%s): %w", c.name.named(), i+1, split, shorten(d.Name), err)
		}
	}
	return out, nil
}

// sample draws a passage of a document and what comes after it: prompt and target have half
// of the length each, in bytes, and up to three less where a character would be cut.
func (c *corpus) sample(rng *rand.Rand, length int, split Split) (Sample, error) {
	documents, err := c.Documents(split)
	if err != nil {
		return Sample{}, err
	}
	for range splitTries {
		text := documents[rng.IntN(len(documents))].Text
		if len(text) < length {
			continue
		}
		start := rng.IntN(len(text) - length + 1)
		cut := func(at int) int {
			for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
				at--
			}
			return at
		}
		from, middle, end := cut(start), cut(start+(length+1)/2), cut(start+length)
		if s := (Sample{Prompt: text[from:middle], Target: text[middle:end], Length: length}); s.Prompt != "" &&
			s.Prompt != " " && s.Target != "" {
			return s, nil
		}
	}
	return Sample{}, fmt.Errorf("task %s: length %d: %w: no document of %q was found that is as long; choose a shorter one",
		c.name.named(), length, ErrNoSplit, split)
}
