package human

import "fmt"

// Millions writes a number of parameters: "109.6 M", "0.052 M". It has two digits at least,
// since models of two sizes are two series.
func Millions(n int64) string {
	if n > 0 && n < 1e6 {
		return fmt.Sprintf("%.2g M", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f M", float64(n)/1e6)
}

// Thousands sets commas: "40,000".
func Thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Thousands(n/1000), n%1000)
}
