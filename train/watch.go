package train

import "fmt"

// watch takes in the losses of a run: runfile.Progress.Watch.
type watch struct {
	Start, Smooth, Best float64
	Bad                 int
}

// A loss explodes when for explosionSteps steps in a row it is above twice its
// start; or it and its mean are above thrice the best mean, and the mean is back
// above half the start. (Near 0, thrice the best is mere noise.)
const (
	explosionSteps = 100
	smoothing      = 0.95
)

// String says what an explosion looks like.
func (w watch) String() string {
	return fmt.Sprintf("the loss has exploded: %.4g, after %.4g at the first step and %.4g at its best",
		w.Smooth, w.Start, w.Best)
}

// see takes the next loss in and reports whether it has exploded.
func (w *watch) see(loss float64) bool {
	if w.Start == 0 {
		w.Start, w.Smooth, w.Best = loss, loss, loss
	}
	w.Smooth = smoothing*w.Smooth + (1-smoothing)*loss
	w.Best = min(w.Best, w.Smooth)
	lost := min(loss, w.Smooth) > 3*w.Best && w.Smooth > w.Start/2
	if w.Bad++; !lost && loss <= 2*w.Start {
		w.Bad = 0
	}
	return w.Bad >= explosionSteps
}
