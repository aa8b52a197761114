package summary

// Measures of accuracy. A study has one.
const (
	Exact  = "exact" // the share of prompts whose parsed answer is right
	Tokens = "token" // the share of target tokens that are right, place by place
)

// label names a measure in headings.
func label(measure string) string {
	if measure == Tokens {
		return "tokens right"
	}
	return "exact match"
}
