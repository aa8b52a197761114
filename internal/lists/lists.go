// Package lists has what package slices lacks.
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
