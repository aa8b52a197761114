package human

import "strconv"

// Plural writes a number with its word: 1 row, 2 rows.
func Plural[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(int64(n), 10) + " " + many
}
