//go:build !amd64

package simd

func forLevels(f func(name string)) { f("plain") }
