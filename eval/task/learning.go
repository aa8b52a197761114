package task

import (
	"context"
	"sync"
)

// learning is how a program follows the learning of subwords.
type learning struct {
	ctx      context.Context
	progress func(what string, done, total int)
	warn     func(error)
}

var following = struct {
	sync.Mutex
	learning
}{}

// FollowLearning has all that this process learns be followed, until the next call: it is for programs, when they begin. Resolving a
// configuration of a run or reading its checkpoint may learn subwords. ctx ends it; progress is called often; warn is told of pieces
// that could not be read from the cache, or not be kept there. Each may be nil.
func FollowLearning(ctx context.Context, progress func(what string, done, total int), warn func(error)) {
	following.Lock()
	defer following.Unlock()
	following.learning = learning{ctx, progress, warn}
}

// followed returns what FollowLearning was given, with nothing nil.
func followed() learning {
	following.Lock()
	defer following.Unlock()
	l := following.learning
	if l.ctx == nil {
		l.ctx = context.Background()
	}
	if l.progress == nil {
		l.progress = func(string, int, int) {}
	}
	if l.warn == nil {
		l.warn = func(error) {}
	}
	return l
}
