package serve

import "time"

// SetPatience sets how long clients may take, before the handler is used.
func (h *Handler) SetPatience(d time.Duration) { h.patience = d }
