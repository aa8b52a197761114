package summary

// Measure is what accuracies of a study count.
type Measure string

// The measures of a study.
const (
	Exact  Measure = "exact" // the share of prompts whose parsed answer is right
	Tokens Measure = "token" // the share of target tokens that are right, place by place
)

// Label names the measure in headings.
func (m Measure) Label() string {
	if m == Tokens {
		return "tokens right"
	}
	return "exact match"
}
