//go:build !amd64 && !arm64

package simd

import "testing"

func forLevels(f func(name string)) { f("plain") }

func everyIntLevel(t *testing.T, f func(t *testing.T)) { everyLevel(t, f) }
