package summary

// Each returns what f makes of each element.
func Each[T, R any](list []T, f func(T) R) []R { return each(list, f) }
