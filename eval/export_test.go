package eval

// What tests look into.
var (
	DrawWindows = drawWindows
	Percentile  = percentile
	ReadJSONL   = readRows

	HoldsObservations = holdsObservations
	ReadObservations  = readObservations
)

// Roofline is the fraction of what the peaks allow.
func (p Peaks) Roofline(flops, bytes, seconds float64) float64 {
	return p.roofline(flops, bytes, seconds)
}

// PositionBits is of tokens by their place.
type PositionBits = positionBits
