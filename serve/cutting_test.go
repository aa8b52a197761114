package serve_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/nopezoo/zoo/serve"
	"github.com/nopezoo/zoo/tokenizer"
)

// slowCoder has a token for each byte, and is done with a text that says "slow" when its context ends.
type slowCoder struct{}

var cutting = make(chan string, 100) // gets each text that says so

func init() {
	tokenizer.Register(tokenizer.Library{New: func([]string) (tokenizer.Coder, error) { return slowCoder{}, nil }})
}

func (slowCoder) Encode(ctx context.Context, text string) (ids []int64, err error) {
	if strings.Contains(text, "slow") {
		if ctx.Done() == nil {
			return nil, errors.New("a text is cut that nothing can end")
		}
		cutting <- text
		<-ctx.Done()
		return nil, fmt.Errorf("tokenizer: %w", context.Cause(ctx))
	}
	for i := range len(text) {
		ids = append(ids, int64(text[i])+2)
	}
	return ids, nil
}

func (c slowCoder) EncodePrompt(ctx context.Context, text string) ([]int64, error) {
	return c.Encode(ctx, strings.TrimSuffix(text, " "))
}

func (slowCoder) LongestToken() int { return 1 }

func (slowCoder) Decode(ids []int64) (string, error) {
	var text []byte
	for _, id := range ids {
		if id >= 2 {
			text = append(text, byte(id-2))
		}
	}
	return string(text), nil
}

// slowPieces are slowCoder's.
func slowPieces() []string {
	pieces := []string{tokenizer.PadBPE, tokenizer.EOSPiece}
	for b := range 256 {
		pieces = append(pieces, fmt.Sprint("byte ", b))
	}
	return pieces
}

// TestSlowCutting: a text that takes long to cut ends with its client, and then others are answered.
func TestSlowCutting(t *testing.T) {
	server := following(t, slowPieces(), "H xyz", serve.Options{})
	ctx, leave := context.WithCancel(t.Context())
	for range goruntime.GOMAXPROCS(0) {
		gone := begin(ctx, server, `{"model": "tiny", "prompt": "slow"}`)
		<-cutting
		defer func() { <-gone }()
	}
	waiting := begin(t.Context(), server, `{"model": "tiny", "prompt": "H", "temperature": 0}`)
	leave()
	if r := <-waiting; r.status != http.StatusOK || !strings.Contains(r.text, `"text":" xyz"`) {
		t.Errorf("another request: %+v", r)
	}
}

// TestCuttingTimeLimit: the time limit holds while a text is cut, and for who waits for that.
func TestCuttingTimeLimit(t *testing.T) {
	server := following(t, slowPieces(), "H xyz", serve.Options{Limits: serve.Limits{Time: 50 * time.Millisecond}})
	var all []<-chan reply
	for range goruntime.GOMAXPROCS(0) + 2 {
		all = append(all, begin(t.Context(), server, `{"model": "tiny", "prompt": "slow"}`))
	}
	for _, ended := range all {
		if r := <-ended; r.status != http.StatusGatewayTimeout || !strings.Contains(r.text, "the answer took longer than 50ms") {
			t.Errorf("got %+v", r)
		}
	}
}

// TestNotCut: a text that has too many tokens however it is cut is refused before it is.
func TestNotCut(t *testing.T) {
	server := following(t, slowPieces(), "H xyz", serve.Options{Limits: serve.Limits{Tokens: 11}})
	r, c := ask(t, server, `{"model": "tiny", "prompt": "slow and long "}`)
	if r.StatusCode != http.StatusBadRequest || c.Error.Param != "prompt" ||
		c.Error.Message != "prompt 0 has 14 bytes, which are 13 tokens or more: more than the 11 that tiny takes here" {
		t.Errorf("status %d, %+v", r.StatusCode, c.Error)
	}
}
