package runtime_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/ort"
)

// What opening lacks is known without a model.
func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		opt  runtime.Options
		want string
	}{
		{runtime.Options{Provider: "tpu"}, `unknown provider "tpu"`},
		{runtime.Options{Threads: -1}, "threads is -1"},
		{runtime.Options{Provider: "go", Library: "x.so"}, "uses no ONNX Runtime library"},
	} {
		if err := runtime.Check(tc.opt); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %s", err, tc.want)
		}
	}
	err := runtime.Check(runtime.Options{Library: filepath.Join(t.TempDir(), "none.so")})
	if !errors.Is(err, runtime.ErrNoRuntime) && !errors.Is(err, runtime.ErrNoCgo) {
		t.Errorf("a library that is not there: %v", err)
	}
	if err := runtime.Check(runtime.Options{Provider: "go"}); err != nil {
		t.Errorf("pure Go: %v", err)
	}
}
