package task

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nopezoo/zoo/tokenizer"
)

// Bounds of a file of samples, in bytes. Its samples are held in memory.
const (
	mostFile     = 1 << 30
	mostFileLine = 1 << 20
)

// fromFile returns the task whose samples are the lines of a file (see the package
// comment), without its name. The digest is the SHA-256 of what was read, in hex.
func fromFile(r io.Reader) (t Task, digest string, err error) {
	sum := sha256.New()
	c := collection{byLength: map[int][]int{}, byPrompt: map[string]int{},
		pieces: map[string]bool{}, chunks: map[string]bool{}}
	if err := eachLine(io.TeeReader(r, sum), mostFileLine, c.add); err != nil {
		return Task{}, "", err
	}
	if len(c.samples) == 0 {
		return Task{}, "", errors.New(`no samples; want lines such as ` + fileForm)
	}
	lengths := slices.Sorted(maps.Keys(c.byLength))
	all := Range{lengths[0], lengths[len(lengths)-1]}
	likeliest := c.likeliest()
	return Task{
		Version: 1,
		Train:   all,
		Lengths: all,
		Has:     func(n int) bool { return len(c.byLength[n]) > 0 },
		Space:   func(n int) float64 { return float64(len(c.byLength[n])) },
		Weight:  func(n int) float64 { return float64(len(c.byLength[n])) },
		Texts:   c.texts,
		Generate: func(rng *rand.Rand, length int) Sample {
			places := c.byLength[length]
			return c.samples[places[rng.IntN(len(places))]]
		},
		Correct: sameWords,
		Chance:  func(n int) float64 { return float64(likeliest[n]) / float64(len(c.byLength[n])) },
		Each:    slices.Values(c.samples),
	}, hex.EncodeToString(sum.Sum(nil)), nil
}

// collection is what is known of a file's samples.
type collection struct {
	samples  []Sample // of different prompts, in the order of the file
	lines    []int    // their numbers
	byLength map[int][]int
	byPrompt map[string]int
	texts    []string        // of the samples that had a token for the first time
	pieces   map[string]bool // all tokens so far
	chunks   map[string]bool // parts of texts whose tokens are among them
}

const fileForm = `{"prompt": "7 + 5 = ", "target": "12", "length": 1}`

// add takes a line in. One that stands in the file twice is taken once.
func (c *collection) add(number int, line string) error {
	s, err := parseSample(line)
	if err != nil {
		return err
	}
	if at, ok := c.byPrompt[s.Prompt]; ok {
		if c.samples[at] != s {
			return fmt.Errorf("has the prompt of line %d, with another target or length", c.lines[at])
		}
		return nil
	}
	text := s.Prompt + s.Target
	if more, err := c.meet(text); err != nil {
		return err
	} else if more {
		c.texts = append(c.texts, text)
	}
	at := len(c.samples)
	c.byPrompt[s.Prompt], c.byLength[s.Length] = at, append(c.byLength[s.Length], at)
	c.samples, c.lines = append(c.samples, s), append(c.lines, number)
	return nil
}

// mostChunks bounds what is kept to pass over the texts that bring nothing new.
const mostChunks = 1 << 20

// meet notes the tokens of a text, and reports whether there are any for the first time.
// No token goes beyond a space but the one before it, so a text is cut there.
func (c *collection) meet(text string) (more bool, err error) {
	for at := 0; at < len(text); {
		end := len(text)
		if space := strings.IndexByte(text[at+1:], ' '); space >= 0 {
			end = at + 1 + space
		}
		chunk := text[at:end]
		if at = end; c.chunks[chunk] {
			continue
		}
		pieces, err := tokenizer.Vocabulary(tokenizer.Words, nil, chunk)
		if err != nil {
			return false, err
		}
		for _, p := range pieces {
			if !c.pieces[p] {
				c.pieces[p], more = true, true
			}
		}
		if len(c.chunks) < mostChunks {
			c.chunks[chunk] = true
		}
	}
	return more, nil
}

// likeliest counts the most frequent target of each length: to give it always is the best
// that a guesser can do.
func (c *collection) likeliest() map[int]int {
	out := map[int]int{}
	for length, places := range c.byLength {
		count := map[string]int{}
		for _, at := range places {
			target := oneSpace(c.samples[at].Target)
			count[target]++
			out[length] = max(out[length], count[target])
		}
	}
	return out
}

// parseSample reads a line of a file. Fields other than the three are passed over, so that
// what Write gives can be read.
func parseSample(line string) (Sample, error) {
	var fields struct {
		Prompt, Target *string
		Length         *float64 // some programs write 1 as 1.0
	}
	if err := readLine(line, &fields, fileForm); err != nil {
		return Sample{}, err
	}
	if fields.Prompt == nil || fields.Target == nil || fields.Length == nil {
		return Sample{}, fmt.Errorf("lacks one of prompt, target and length; want a line such as %s", fileForm)
	}
	if n := *fields.Length; n != math.Trunc(n) || n < 1 || n > MaxLength {
		return Sample{}, fmt.Errorf("length %s: want a whole number, 1 to %d", shorten(strconv.FormatFloat(n, 'f', -1, 64)), MaxLength)
	}
	s := Sample{Prompt: *fields.Prompt, Target: *fields.Target, Length: int(*fields.Length)}
	for _, part := range [][2]string{{"prompt", s.Prompt}, {"target", s.Target}} {
		name, text := part[0], part[1]
		switch {
		case strings.TrimSpace(text) == "":
			return Sample{}, fmt.Errorf("the %s %q has no words", name, text)
		case strings.ContainsFunc(text, unicode.IsControl):
			return Sample{}, fmt.Errorf("the %s %q has a control character, such as the end of a line or a tab; "+
				"write a space or a word for it", name, shorten(text))
		}
	}
	for _, mark := range []string{tokenizer.EOSPiece, tokenizer.PadPiece} {
		if strings.Contains(s.Prompt+s.Target, mark) {
			return Sample{}, fmt.Errorf("has %s, which stands for the end or for padding", mark)
		}
	}
	last, _ := utf8.DecodeLastRuneInString(s.Prompt)
	first, _ := utf8.DecodeRuneInString(s.Target)
	if partOfWord(last) && partOfWord(first) {
		return Sample{}, fmt.Errorf("the end of the prompt and the start of the target %q form one word: "+
			"end the prompt with a space", shorten(s.Target))
	}
	return s, nil
}

func partOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }
