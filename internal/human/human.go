// Package human writes sizes, counts, times and tables as people read them.
package human

import (
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
)

// Bytes writes a size with three digits in binary units: 98.0 MiB.
func Bytes(n int64) string { return humanize.IBytesN(uint64(max(n, 0)), 3) }

// Count writes a number of 0 or more with three digits and a prefix: 18.2k, 3.21M.
func Count(v float64) string {
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if v < 1 {
		return text // a prefix for thousandths would be taken for one of millions
	}
	rounded, _ := strconv.ParseFloat(text, 64) // first, so that 999,900 is 1M and not 1000k
	value, prefix := humanize.ComputeSI(rounded)
	return strconv.FormatFloat(value, 'g', 3, 64) + prefix
}

// Duration rounds a time to seconds, and one below ten of them to tenths: 1h2m3s, 1.5s.
func Duration(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// Seconds is Duration of a number of seconds.
func Seconds(s float64) string { return Duration(time.Duration(s * float64(time.Second))) }
