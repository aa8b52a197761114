package hf

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/tokenizer"
)

// countdown is a context that ends at a look at it.
type countdown struct {
	context.Context
	looks, left int
}

var errEnough = errors.New("enough")

func (c *countdown) Err() error {
	c.looks++
	if c.looks > c.left {
		return errEnough
	}
	return nil
}

func open(t testing.TB, file string) *coder {
	t.Helper()
	tok, err := parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

const bytesModel = `"model":{"type":"BPE","vocab":{"a":0,"b":1,"7":2,"!":3," ":4},"merges":[]}`

// An encoding ends with its context wherever it is: each cut of a long text looks at it.
func TestEncodeContext(t *testing.T) {
	for name, pre := range map[string]string{
		"runs of digits":  `{"type":"Digits"}`,
		"digits":          `{"type":"Digits","individual_digits":true}`,
		"punctuation":     `{"type":"Punctuation"}`,
		"text":            `{"type":"Split","pattern":{"String":"a"},"behavior":"Isolated"}`,
		"expression":      `{"type":"Split","pattern":{"Regex":"a|b"},"behavior":"Contiguous"}`,
		"words and marks": `{"type":"BertPreTokenizer"}`,
		"two":             `{"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":true},{"type":"Punctuation"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			var tok tokenizer.Coder = open(t, `{`+bytesModel+`,"pre_tokenizer":`+pre+`}`)
			text := strings.Repeat("a7!b", 10_000)
			if _, err := tok.Encode(t.Context(), text); err != nil { // words that are known take no look
				t.Fatal(err)
			}
			all := &countdown{Context: t.Context(), left: 1 << 30}
			if _, err := tok.Encode(all, text); err != nil || all.looks < 3 || all.looks > 200 {
				t.Fatalf("%d looks, %v", all.looks, err)
			}
			for left := range all.looks {
				for _, encode := range []func(context.Context, string) ([]int64, error){tok.Encode, tok.EncodePrompt} {
					ctx, end := context.WithCancelCause(t.Context())
					end(errEnough)
					c := &countdown{Context: ctx, left: left}
					if ids, err := encode(c, text); !errors.Is(err, errEnough) || ids != nil || c.looks > left+2 {
						t.Fatalf("ended at look %d: %d ids, %v, after %d looks", left, len(ids), err, c.looks)
					}
				}
			}
		})
	}
}
