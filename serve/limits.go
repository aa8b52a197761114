package serve

import (
	"cmp"
	"fmt"
	"time"
)

// Limits bound what one request may ask for. Of each 0 stands for the default.
type Limits struct {
	Body    int64         // bytes of a request; default 1 MiB
	Tokens  int           // of a prompt and its answer together, where the model takes so many; default 4096
	Choices int           // prompts times n; default 16
	Time    time.Duration // for waiting and answering; default 5 minutes
}

func (l Limits) complete() (Limits, error) {
	for _, limit := range []struct {
		name  string
		value int64
	}{{"bytes of a request", l.Body}, {"tokens of a prompt and its answer", int64(l.Tokens)},
		{"choices", int64(l.Choices)}, {"nanoseconds of a request", int64(l.Time)}} {
		if limit.value < 0 {
			return l, fmt.Errorf("serve: the most %s are %d, expected 0 (default) or more", limit.name, limit.value)
		}
	}
	return Limits{
		Body: cmp.Or(l.Body, 1<<20), Tokens: cmp.Or(l.Tokens, 4096), Choices: cmp.Or(l.Choices, 16),
		Time: cmp.Or(l.Time, 5*time.Minute),
	}, nil
}
