// Package orttest tells tests whether ONNX Runtime is at hand.
package orttest

import (
	"errors"
	"os"
	"testing"

	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Require returns the path of the ONNX Runtime library, for ort.Options.Library.
// Without one, or in a build that cannot load it, it skips the test with the reason; when the
// environment variable ZOO_REQUIRE_ORT is 1 it fails the test instead.
func Require(t testing.TB) string {
	t.Helper()
	lib, err := ort.Find(engine.CPU, "")
	if err == nil && ort.Loader == "" {
		err = ort.ErrNoCgo
	}
	if err == nil {
		return lib.Path
	}
	if os.Getenv("ZOO_REQUIRE_ORT") == "1" {
		t.Fatalf("ZOO_REQUIRE_ORT=1, but: %v", err)
	}
	t.Skipf("needs ONNX Runtime: %v", err)
	return ""
}

// RequireWebGPU is Require for ONNX Runtime's provider webgpu, with a device that it can
// use: a graphics card, or a Vulkan driver that computes on the processor. The environment
// variable that makes its absence a failure is ZOO_REQUIRE_WEBGPU.
func RequireWebGPU(t testing.TB) string {
	t.Helper()
	library := Require(t)
	_, unusable, err := ort.Probe("webgpu", library)
	err = errors.Join(err, unusable)
	switch {
	case err == nil:
		return library
	case os.Getenv("ZOO_REQUIRE_WEBGPU") == "1":
		t.Fatalf("ZOO_REQUIRE_WEBGPU=1, but: %v", err)
	}
	t.Skipf("needs provider webgpu: %v", err)
	return ""
}
