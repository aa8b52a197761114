package pe

import (
	"cmp"
	"fmt"
)

// swa is NoPE in a sliding window: the query at position t sees the keys at 0 ≤ t − j < W
// (Beltagy et al. 2020, arXiv 2004.05150, section 3.1; causal in Jiang et al. 2023, arXiv
// 2310.06825, section 2). What L layers pass on reaches back L·(W−1) tokens.
type swa struct {
	NoPE
	window int
}

// swaSettings are the settings.
type swaSettings struct {
	// The default is for short tasks. Mistral 7B has 4096.
	Window int `json:"window" about:"W, in tokens; default 16"`
}

// MaxWindow is the greatest number of tokens that a query with a window sees; the least is 2.
const MaxWindow = 1 << 16

func newSWA(_ Dims, p swaSettings) (Encoding, error) {
	p.Window = cmp.Or(p.Window, 16)
	if p.Window < 2 || p.Window > MaxWindow {
		return nil, fmt.Errorf("window %d: want 2 to %d tokens", p.Window, MaxWindow)
	}
	return swa{window: p.Window}, nil
}

// Window implements Windowed.
func (e swa) Window() int { return e.window }
