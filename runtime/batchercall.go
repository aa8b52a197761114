package runtime

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// batcherCall is a call of Batcher.Generate: the tokens that the loop has made for its rows, and
// the caller has not taken. The loop never waits for a caller; the rows' limits bound the tokens here.
type batcherCall struct {
	over atomic.Bool // it has failed, or its caller has left
	made []toldToken // in this turn; the loop's alone

	mu     sync.Mutex
	tokens []toldToken
	spare  []toldToken // whose memory is used again
	err    error
	ready  chan struct{} // has an element when there is something to take
}

// toldToken is a token of one of the call's rows. Tokens of one turn are told together.
type toldToken struct {
	newToken
	turn int // of the loop: tokens of one turn are one step
}

func newBatcherCall() *batcherCall { return &batcherCall{ready: make(chan struct{}, 1)} }

// add notes the last token of a row, to be told with the tokens of the call's other rows.
func (c *batcherCall) add(turn int, r *row) {
	t := toldToken{r.newToken, turn}
	t.probs.Top = slices.Clone(t.probs.Top)
	c.made = append(c.made, t)
}

// handOver hands the caller what was made in a turn.
func (c *batcherCall) handOver() {
	if len(c.made) == 0 {
		return
	}
	c.mu.Lock()
	c.tokens = append(c.tokens, c.made...)
	c.mu.Unlock()
	c.made = c.made[:0]
	c.signal()
}

// fail ends the call with an error, after the tokens that it has been told.
func (c *batcherCall) fail(err error) {
	c.over.Store(true)
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	c.mu.Unlock()
	c.signal()
}

func (c *batcherCall) signal() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// take waits for tokens and returns them; the next call overwrites them.
func (c *batcherCall) take(ctx context.Context) ([]toldToken, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.mu.Lock()
		tokens, err := c.tokens, c.err
		if len(tokens) > 0 {
			c.tokens, c.spare = c.spare[:0], tokens
		}
		c.mu.Unlock()
		if len(tokens) > 0 {
			return tokens, nil
		}
		if err != nil {
			return nil, err
		}
		select {
		case <-c.ready:
		case <-ctx.Done():
		}
	}
}
