package safety

// WeightsHash is weightsHash.
var WeightsHash = weightsHash

// Parsings counts the files that are parsed while a test runs f.
func Parsings(f func()) (n int) {
	before := parsing
	defer func() { parsing = before }()
	parsing = func() { n++ }
	f()
	return n
}
