package card

import "strings"

// rampField is written with an intervention with yarn, in metadata and in rows. Interventions of
// before have no such field: what they call yarn has the ramp of the paper's text, which is
// called yarn-paper now.
const (
	rampField = "scaling_ramp"
	pairsRamp = "pairs"
)

// RampOf returns what is written with an intervention: "pairs" for one with yarn, else "".
func RampOf(intervention string) string {
	if strings.HasPrefix(intervention, "yarn:") {
		return pairsRamp
	}
	return ""
}

// ReadIntervention returns an intervention that was written with what RampOf says of it, or
// without.
func ReadIntervention(written, ramp string) string {
	if factor, ok := strings.CutPrefix(written, "yarn:"); ok && ramp != pairsRamp {
		return "yarn-paper:" + factor
	}
	return written
}
