package foreign

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
)

// slotsAxis is the axis of the slots in a cache of safety.Attention: [batch, heads, slots, width].
const slotsAxis = 2

// slotsOf returns how many slots a cache keeps of those that its nodes drop, 0 for one that grows. ONNX
// Runtime drops what is older than the window by itself, whatever the number of new tokens.
func slotsOf(input string, windows []safety.Window) int64 {
	slots := int64(0)
	for _, w := range windows {
		if slices.Contains(w.Caches, input) {
			slots = max(slots, w.Tokens)
		}
	}
	return slots
}

// keepWindow makes a cache one of so many slots, or of those that the file gives it, if these are more. It
// has none filled at first, and the oldest token is first.
func keepWindow(state *card.State, slots int64) error {
	if len(state.Shape) != slotsAxis+2 {
		return fmt.Errorf("a cache of %s has four axes: batch, heads, slots and width", safety.Attention)
	}
	if given, err := strconv.ParseInt(state.Shape[slotsAxis], 10, 64); err == nil && given < slots {
		return fmt.Errorf("it has %d slots, and its layer sees a window of %d tokens; export the model with room for the window",
			given, slots)
	} else if err != nil {
		state.Shape[slotsAxis] = strconv.FormatInt(slots, 10)
	}
	state.Kind, state.Axis = card.Rewritten, 0
	return nil
}

// window is how many tokens the layers see that see a window: 0 where all see everything.
type window struct {
	tokens int
	file   string // that says so
}

// windowed returns the window that a config.json gives to some layers, 0 for none.
func (o object) windowed() int {
	layers := o.number("num_hidden_layers")
	unused := string(o["use_sliding_window"]) == "false" ||
		layers > 0 && o.number("max_window_layers") >= layers // as Qwen2 counts those before the first with a window
	var kinds []string
	if json.Unmarshal(o["layer_types"], &kinds) == nil && len(kinds) > 0 {
		unused = !slices.Contains(kinds, "sliding_attention")
	}
	if unused {
		return 0
	}
	return o.number("sliding_window")
}

// lacking says that a file lacks the window, "" where it has one, none is needed for texts of so many tokens
// at most (0 for no limit), or nothing tells: in plain operators a window is a mask like any other.
func (w window) lacking(m safety.Model, most int) string {
	if w.tokens == 0 || most > 0 && w.tokens >= most || m.Operators[safety.Attention] == 0 || len(m.Windows) > 0 {
		return ""
	}
	return fmt.Sprintf("%s beside the file says that layers see a window of %d tokens, and the file's see all: beyond %d tokens it does "+
		"not compute what the model that it was exported from does; keep texts shorter, or export it with the window "+
		"(local_window_size of %s)", w.file, w.tokens, w.tokens, safety.Attention)
}
