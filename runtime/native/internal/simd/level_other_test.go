//go:build !amd64

package simd

import "testing"

func everyLevel(t *testing.T, f func(t *testing.T)) { t.Run("plain", f) }
