package runtime

import "github.com/nopezoo/zoo/runtime/ort"

// ORT returns the ONNX Runtime session beneath s.
func ORT(s *Session) *ort.Session { return s.model.engine.(ortEngine).session }
