package serve

import "time"

// SetPatience sets how long clients may take, before the handler is used.
func (h *Handler) SetPatience(d time.Duration) { h.patience = d }

// Streamer continues prompts.
type Streamer = streamer

var NewQueue = newQueue

// Replace has prompts of a model continued by another streamer, before the handler is used.
func (h *Handler) Replace(model string, by Streamer) { h.find(model).completions = by }
