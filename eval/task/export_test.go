package task

// ForgetLearnt makes this process another one, as far as the subwords go that it has learnt.
func ForgetLearnt() {
	learnt.Lock()
	defer learnt.Unlock()
	clear(learnt.pieces)
}

// SplitAt is what Sample draws from.
func (t Task) SplitAt(length int, split Split) Split { return t.splitAt(length, split) }
