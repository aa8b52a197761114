// Package lists has what package slices lacks.
package lists

// Map has what f makes of each element, in order.
func Map[T, R any](list []T, f func(T) R) []R {
	var out []R
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}
