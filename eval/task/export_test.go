package task

// ForgetLearnt makes this process another one, as far as the subwords go that it has learnt.
func ForgetLearnt() {
	learnt.Lock()
	defer learnt.Unlock()
	clear(learnt.pieces)
}
