package foreign

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// attentionNode is the operator that reads a cache of keys and one of values, and may see a window of the
// last tokens alone: GroupQueryAttention of ONNX Runtime's domain, which onnxruntime-genai's builder writes.
const attentionDomain, attentionType = "com.microsoft", "GroupQueryAttention"

const attentionNode = attentionDomain + "." + attentionType

// attention is what the nodes of that operator say.
type attention struct {
	count    int              // nodes
	windowed bool             // whether one of them sees a window
	slots    map[string]int64 // tokens of the window, by the input of a cache that holds no more
}

// The inputs of a node that are caches.
const firstCache, lastCache = 3, 4

// slotsAxis is the axis of the slots in a cache: [batch, heads, slots, width].
const slotsAxis = 2

// attentionOf reads the nodes of a graph. Nodes in subgraphs are not among them.
func attentionOf(g *onnxpb.GraphProto) attention {
	a := attention{slots: map[string]int64{}}
	for _, n := range g.Node {
		if n.Domain != attentionDomain || n.OpType != attentionType {
			continue
		}
		a.count++
		numbers := map[string]int64{}
		for _, attr := range n.Attribute {
			numbers[attr.Name] = onnxpb.Get(attr.I)
		}
		tokens := numbers["local_window_size"]
		if tokens <= 0 {
			continue
		}
		a.windowed = true
		// The node itself drops what is older than the window, for any number of new tokens.
		if numbers["sliding_window_cache"] != 0 && len(n.Input) > lastCache {
			for _, cache := range n.Input[firstCache : lastCache+1] {
				a.slots[cache] = max(a.slots[cache], tokens)
			}
		}
	}
	return a
}

// keepWindow makes a cache one of so many slots, or of those that the file gives it, if these are more. It
// has none filled at first, and the oldest token is first.
func keepWindow(state *card.State, slots int64) error {
	if len(state.Shape) != slotsAxis+2 {
		return fmt.Errorf("a cache of %s has four axes: batch, heads, slots and width", attentionNode)
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
func (w window) lacking(nodes attention, most int) string {
	if w.tokens == 0 || most > 0 && w.tokens >= most || nodes.count == 0 || nodes.windowed {
		return ""
	}
	return fmt.Sprintf("%s beside the file says that layers see a window of %d tokens, and the file's see all: beyond %d tokens it does "+
		"not compute what the model that it was exported from does; keep texts shorter, or export it with the window "+
		"(local_window_size of %s)", w.file, w.tokens, w.tokens, attentionNode)
}
