package serve

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// Limits bound what one request may ask for. Of each 0 stands for the default.
type Limits struct {
	Body    int64         // bytes of a request; default 1 MiB
	Bodies  int64         // bytes of all that are read, wait or are answered, 16 KiB more for each; default 64 MiB, or 16 times Body
	Tokens  int           // of a prompt and its answer together, where the model takes so many; default 4096
	Choices int           // prompts times n; default 16
	Time    time.Duration // for waiting and answering; default 5 minutes
}

func (l Limits) complete() (Limits, error) {
	for _, limit := range []struct {
		name  string
		value int64
	}{{"bytes of a request", l.Body}, {"bytes of all requests", l.Bodies}, {"tokens of a prompt and its answer", int64(l.Tokens)},
		{"choices", int64(l.Choices)}, {"nanoseconds of a request", int64(l.Time)}} {
		if limit.value < 0 {
			return l, fmt.Errorf("serve: the most %s are %d, expected 0 (default) or more", limit.name, limit.value)
		}
	}
	body := cmp.Or(l.Body, 1<<20)
	return Limits{
		Body: body, Bodies: cmp.Or(l.Bodies, max(64<<20, 16*min(body, math.MaxInt64/16))),
		Tokens: cmp.Or(l.Tokens, 4096), Choices: cmp.Or(l.Choices, 16), Time: cmp.Or(l.Time, 5*time.Minute),
	}, nil
}
