package summary

import "github.com/nopezoo/zoo/eval"

// PerToken is the time of one more token of a sequence: its share of the batch's step.
// Only speed without a task has it: there no sequence ends early, and lengths are tokens.
func PerToken() Metric {
	return Metric{Key: "token", Label: "Time per new token", Unit: "ms", Of: func(p CostPoint) Spread {
		if len(p.Rows) == 0 || p.Rows[0].Task != "" || p.Decode.Median <= 0 { // which has no logarithm
			return unknownSpread
		}
		batch := Number(max(1, p.Rows[0].Batch)) // one for all rows of a place
		return Spread{Median: p.Decode.Median / batch, Low: p.Decode.Low / batch, High: p.Decode.High / batch,
			Over: p.Decode.Over}
	}}
}

// Roofline is the least that PerToken can be by the machine's peaks (see
// eval.Peaks.Least): the best that any measurement of the place found, as a busy moment
// lowers them. It is unknown without them.
func (p Place) Roofline() Metric {
	var peaks eval.Peaks
	for _, s := range p.Series {
		for _, at := range s.Costs {
			for _, r := range at.Rows {
				peaks.FLOPS, peaks.Bandwidth = max(peaks.FLOPS, r.PeakFLOPS), max(peaks.Bandwidth, r.PeakBandwidth)
			}
		}
	}
	return Metric{Key: "roofline", Label: "Roofline", Unit: "ms", Of: func(p CostPoint) Spread {
		var all []float64
		for _, r := range p.Rows {
			if least := peaks.Least(r.DecodeFLOPs, r.DecodeBytes); least > 0 {
				all = append(all, 1e3*least/float64(max(1, r.Batch)))
			}
		}
		return overTimes(all, nil)
	}}
}
