//go:build ort

package main

import _ "github.com/nopezoo/zoo/runtime/ort" // ONNX Runtime: through cgo, or with CGO_ENABLED=0 through purego
