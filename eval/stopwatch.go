package eval

import (
	"errors"
	"time"
)

// stopwatch collects the times of generation over several batches and repeats.
type stopwatch struct {
	started, last time.Time
	steps         int       // of the current batch
	prefill       []float64 // ms, one per batch
	decode        []float64 // ms, one per later step
	rates         []float64 // tokens per second, one per batch
	medians       []float64 // ms, of the later steps of each batch that has some
	tokens        int
	total         time.Duration
	moved         func() int64 // bytes that have crossed the bus so far; nil where there is none
	movedBefore   int64        // up to the last step
	busBytes      int64        // of the later steps

	repeats Speed // the lists of the repeats that have ended
	ended   mark  // where the last of them did
}

// mark is a place between two repeats.
type mark struct {
	prefills, decodes, tokens int
	total                     time.Duration
}

func (w *stopwatch) start() {
	w.steps = 0
	w.started = time.Now()
	w.last = w.started
}

func (w *stopwatch) step() {
	now := time.Now()
	ms := now.Sub(w.last).Seconds() * 1e3
	if w.steps == 0 {
		w.prefill = append(w.prefill, ms)
	} else {
		w.decode = append(w.decode, ms)
	}
	if w.moved != nil {
		moved := w.moved()
		if w.steps > 0 {
			w.busBytes += moved - w.movedBefore
		}
		w.movedBefore = moved
	}
	w.last = now
	w.steps++
}

func (w *stopwatch) stop(elapsed time.Duration, tokens int) error {
	if w.steps == 0 {
		return errors.New("the model generated without calling onStep, so no step was timed")
	}
	w.total += elapsed
	w.tokens += tokens
	w.rates = append(w.rates, rate(tokens, elapsed))
	if w.steps > 1 {
		w.medians = append(w.medians, percentile(w.decode[len(w.decode)-w.steps+1:], 50))
	}
	return nil
}

// endRepeat ends a round over all batches.
func (w *stopwatch) endRepeat() {
	r, from := &w.repeats, w.ended
	r.Repeats++
	r.RepeatRates = append(r.RepeatRates, rate(w.tokens-from.tokens, w.total-from.total))
	r.RepeatPrefillMS = append(r.RepeatPrefillMS, percentile(w.prefill[from.prefills:], 50))
	r.RepeatDecodeMS = append(r.RepeatDecodeMS, percentile(w.decode[from.decodes:], 50))
	w.ended = mark{len(w.prefill), len(w.decode), w.tokens, w.total}
}

func (w *stopwatch) speed() Speed {
	s := w.repeats
	s.TimedBatches = len(w.prefill)
	s.PrefillMS, s.PrefillP95MS, s.PrefillP99MS = percentiles(w.prefill)
	s.FirstTokenMS = s.PrefillMS
	s.DecodeSteps = len(w.decode)
	if s.DecodeSteps > 0 {
		s.DecodeBusBytes = float64(w.busBytes) / float64(s.DecodeSteps)
	}
	s.DecodeP50MS, s.DecodeP95MS, s.DecodeP99MS = percentiles(w.decode)
	s.GeneratedTokens, s.GenerateSeconds = w.tokens, w.total.Seconds()
	s.TokensPerSecond = rate(w.tokens, w.total)
	switch {
	case len(s.RepeatRates) > 1:
		s.TokensPerSecondSD, s.SDOf = deviation(s.RepeatRates), SDOfRepeats
		s.PrefillSDMS, s.DecodeSDMS = deviation(s.RepeatPrefillMS), deviation(s.RepeatDecodeMS)
	case len(w.rates) > 1:
		s.TokensPerSecondSD, s.SDOf = deviation(w.rates), SDOfBatches
		s.PrefillSDMS, s.DecodeSDMS = deviation(w.prefill), deviation(w.medians)
	}
	return s
}

func percentiles(ms []float64) (p50, p95, p99 float64) {
	return percentile(ms, 50), percentile(ms, 95), percentile(ms, 99)
}

// rate is tokens per second, 0 for no time.
func rate(tokens int, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(tokens) / d.Seconds()
}
