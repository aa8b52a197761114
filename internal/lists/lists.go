// Package lists has what packages slices and strings lack.
package lists

// Map has what f makes of each element, in order; nil of nil.
func Map[T, R any](list []T, f func(T) R) []R {
	if list == nil {
		return nil
	}
	out := make([]R, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// Make has n elements: what f makes of 0, then of 1, and so on.
func Make[T any](n int, f func(int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// Filter has the elements that are wanted, in order; nil when none is.
func Filter[T any](list []T, wanted func(T) bool) (out []T) {
	for _, x := range list {
		if wanted(x) {
			out = append(out, x)
		}
	}
	return out
}

// CommonPrefix is how many bytes two texts begin with in common.
func CommonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
