package runtime

// Loaded returns what runs a session's model.
func Loaded(s *Session) Model { return s.model }

// WithoutEngines runs f as in a program that links no engine.
func WithoutEngines(f func()) {
	linked := engines
	engines = nil
	defer func() { engines = linked }()
	f()
}
