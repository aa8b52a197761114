package safety

import "github.com/nopezoo/zoo/internal/onnxpb"

// Attention is the operator that reads a cache of keys and one of values, and may see a window of the last
// tokens alone: GroupQueryAttention of ONNX Runtime's domain, which onnxruntime-genai's builder writes.
const Attention = "com.microsoft.GroupQueryAttention"

// Window is what a node of Attention says of the last tokens that it sees.
type Window struct {
	Tokens int64 // the newest among them
	// Caches are the inputs of its keys and values, where these hold no more than a fixed number of slots,
	// at least Tokens (sliding_window_cache). The node itself drops what is older. Else nil.
	Caches []string
}

// The inputs of Attention that are caches.
const firstCache, lastCache = 3, 4

// windowsOf lists the windows of the nodes that have one. Nodes in subgraphs are not among them.
func windowsOf(g *onnxpb.GraphProto) (list []Window) {
	for _, n := range g.Node {
		if n.Domain+"."+n.OpType != Attention {
			continue
		}
		numbers := map[string]int64{}
		for _, a := range n.Attribute {
			numbers[a.Name] = a.GetI()
		}
		w := Window{Tokens: numbers["local_window_size"]}
		if w.Tokens <= 0 {
			continue
		}
		if numbers["sliding_window_cache"] != 0 && len(n.Input) > lastCache {
			w.Caches = n.Input[firstCache : lastCache+1]
		}
		list = append(list, w)
	}
	return list
}
