package eval

// EffectiveAccuracy is the exact match that a length must reach to count as
// handled.
const EffectiveAccuracy = 0.9

// EffectiveLength returns the largest of ascending lengths, or of bins of them, up to which all those
// measured reach EffectiveAccuracy, zero for none, and next, the one after it, which does
// not; zero for none: the effective length may be larger. ok is false for a length that
// was not available; it is passed over.
func EffectiveLength[L any](lengths []L, accuracy func(length L) (value float64, ok bool)) (length, next L) {
	var none L
	for _, n := range lengths {
		value, ok := accuracy(n)
		switch {
		case !ok:
		case !(value >= EffectiveAccuracy):
			return length, n
		default:
			length = n
		}
	}
	return length, none
}
