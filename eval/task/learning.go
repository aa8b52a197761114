package task

import (
	"context"
	"sync"
)

// Learning is how a program follows the learning of subwords, which resolving a configuration of a run or
// reading its checkpoint may take.
type Learning struct {
	Context  context.Context                    // ends it; nil: nothing does
	Progress func(what string, done, total int) // called often; nil: nobody is told
	Warn     func(error)                        // of pieces that could not be read from the cache, or not be kept there; nil drops it
}

var following = struct {
	sync.Mutex
	Learning
}{}

// FollowLearning has all that this process learns be followed, until the next call: it is for programs, when they begin.
func FollowLearning(l Learning) {
	following.Lock()
	defer following.Unlock()
	following.Learning = l
}

// followed returns what FollowLearning was given, with nothing nil.
func followed() Learning {
	following.Lock()
	defer following.Unlock()
	l := following.Learning
	if l.Context == nil {
		l.Context = context.Background()
	}
	if l.Progress == nil {
		l.Progress = func(string, int, int) {}
	}
	if l.Warn == nil {
		l.Warn = func(error) {}
	}
	return l
}
