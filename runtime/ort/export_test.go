package ort

// Linked says whether this build can load ONNX Runtime.
const Linked = linked

// Started reports whether there is an environment.
func Started() bool {
	env.mu.Lock()
	defer env.mu.Unlock()
	return started()
}
