package eval

// EffectiveAccuracy is the exact match that a length must reach to count as
// handled.
const EffectiveAccuracy = 0.9

// EffectiveLength returns the largest of ascending lengths up to which all those
// measured reach EffectiveAccuracy, 0 for none, and next, the one after it, which does
// not; 0 for none: the effective length may be larger. ok is false for a length that
// was not available; it is passed over.
func EffectiveLength(lengths []int, accuracy func(length int) (value float64, ok bool)) (length, next int) {
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
	return length, 0
}
