package human

import (
	"fmt"
	"time"
)

// Rough writes a time in words, to the minute from one on: 11 h 40 min, 12 min, 25 s.
func Rough(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", max(d.Round(time.Second), time.Second)/time.Second)
	}
	minutes := d.Round(time.Minute) / time.Minute
	if minutes < 60 {
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d h %02d min", minutes/60, minutes%60)
}
