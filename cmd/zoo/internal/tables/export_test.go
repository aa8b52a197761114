package tables

// Folded is folded.
func Folded(lines []string) []string { return folded(lines) }
