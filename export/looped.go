package export

import (
	"fmt"
	"io"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/wrap"
)

// WriteLooped writes a model's graph, whose states are those listed, as a file of the form
// card.Looped: prompts in, greedily chosen answers out. A row ends with the token id end.
//
// The graph becomes the body of one ONNX Loop, which carries the states, and takes a token of
// each row in a turn. A graph that takes several tokens at a time stands before the Loop once
// more, where it reads the prompts in one run, in memory that grows with the square of their
// length; one that takes a single token reads them in the first turns. Weights are stored
// once, outside.
//
// A Loop never writes what it carries where it lies: in each turn a state that grows is
// copied, and of one in place the whole capacity, which is what prompt and answer need.
//
// Such a file is for ONNX Runtime: Read refuses it, since graphs here are flat. Package
// safety lets it pass where its card declares the form.
func WriteLooped(
	w io.Writer, g *graph.Graph, weights map[string]*tensor.Tensor, states []card.State, end int64, opt Options,
) error {
	f, m, err := newModel(g, weights, opt)
	if err == nil {
		err = intoLoop(m.Graph, g, states, end)
	}
	if err == nil {
		err = f.put(w, m, opt, safety.Options{ControlFlow: true})
	}
	return wrap.Error(err, "export: write answers")
}

// What begins the names of values and nodes.
const (
	inPrompt = "prompt/" // of the model's graph as it reads the prompts
	inTurn   = "turn/"   // of the model's graph in a turn of the Loop
	inAnswer = "answer/" // of all else, constants too
	inNext   = "next/"   // of all else in a turn
)

// looped is a file of the form card.Looped in the making.
type looped struct {
	file   *onnxpb.GraphProto // which has the weights and constants
	step   *onnxpb.GraphProto // the model's graph: its nodes, weights and constants
	states []card.State
	end    int64
	single bool            // the model takes one token at a time
	narrow bool            // its mask covers the new tokens only
	placed bool            // it has states in place, and its mask covers their capacity
	stored map[string]bool // constants that are in the file
}

// intoLoop turns the flat graph into a Loop over it, and what it needs around it.
func intoLoop(p *onnxpb.GraphProto, g *graph.Graph, states []card.State, end int64) error {
	a, err := newLooped(p, g, states, end)
	if err != nil {
		return err
	}
	p.Node = nil
	p.Input = []*onnxpb.ValueInfoProto{
		declared(card.InputIDs.Name, tensor.Int64, card.Batch, card.Seq),
		declared(card.AttentionMask.Name, tensor.Int64, card.Batch, card.Seq),
		declaredPort(card.MaxNew),
	}
	p.Output = []*onnxpb.ValueInfoProto{declaredPort(card.OutputIDs), declaredPort(card.OutputLengths)}
	o := part{a, p, inAnswer}
	ids, mask, most := card.InputIDs.Name, card.AttentionMask.Name, card.MaxNew.Name
	shape := o.add("shape", "Shape", list(ids))
	rows := o.add("rows", "Gather", list(shape, a.vector(0)))
	width := o.add("width", "Gather", list(shape, a.vector(1))) // slots of the prompts
	pads := o.add("pads", "Sub", list(width, o.sum("real", mask, 1)))
	slots := o.add("slots", "Sub", list(o.add("slots/all", "Add", list(width, most)), a.vector(1))) // that are read
	room := o.add("capacity", "Max", list(slots, width))
	var initial []string // values of the states
	for _, s := range states {
		o.initial(s, rows, room)
		initial = append(initial, inPrompt+s.Past)
	}
	known, turns, going := ids, slots, ""
	if a.single {
		going = o.add("going", "Cast", list(a.scalar(1)), attribute("to", int64(tensor.Bool.ONNX())))
	} else {
		known, going = o.prompt(width, pads, room)
		for i, s := range states {
			initial[i] = inPrompt + s.Present
		}
		turns = o.add("turns/new", "Sub", list(most, a.vector(1)))
	}
	turns = o.add("turns", "Min", list(turns, a.vector(safety.MaxTurns)))
	outputs := list(inAnswer + "known")
	for _, s := range states {
		outputs = append(outputs, inAnswer+s.Present)
	}
	p.Node = append(p.Node, &onnxpb.NodeProto{
		OpType: "Loop", Name: inAnswer + "Loop", Output: outputs,
		Input:     append(list(turns, going, known), initial...),
		Attribute: []*onnxpb.AttributeProto{{Name: "body", Type: onnxpb.AttributeGraph, G: a.turn(width, pads, room)}},
	})
	o.finish(rows, width)
	return nil
}

// newLooped checks what the model's graph takes and gives.
func newLooped(p *onnxpb.GraphProto, g *graph.Graph, states []card.State, end int64) (*looped, error) {
	a := &looped{
		file: p, states: states, end: end, stored: map[string]bool{},
		step: &onnxpb.GraphProto{Node: p.Node, Initializer: slices.Clone(p.Initializer)},
	}
	fed := list(card.InputIDs.Name, card.AttentionMask.Name, card.PositionIDs.Name, card.CachePosition.Name,
		card.LogitsToKeep.Name)
	for _, s := range states {
		a.placed = a.placed || s.Kind == card.InPlace
		if g.Input(s.Past) == nil || g.Output(s.Present) == nil {
			return nil, fmt.Errorf("the graph must have the state %s and %s", s.Past, s.Present)
		}
		fed = append(fed, s.Past)
	}
	ids, mask := g.Input(card.InputIDs.Name), g.Input(card.AttentionMask.Name)
	if ids == nil || mask == nil || g.Output(card.Logits.Name) == nil {
		return nil, fmt.Errorf("the graph must have the inputs %s and %s, and the output %s",
			card.InputIDs.Name, card.AttentionMask.Name, card.Logits.Name)
	}
	for _, in := range g.Inputs {
		if !slices.Contains(fed, in.Name) {
			return nil, fmt.Errorf("nothing feeds the graph's input %s", in.Name)
		}
	}
	a.single, a.narrow = ids.Dim(1) == graph.N(1), mask.Dim(1) == graph.N(1)
	if !a.single && g.Input(card.LogitsToKeep.Name) == nil {
		return nil, fmt.Errorf("a graph that takes several tokens must have the input %s", card.LogitsToKeep.Name)
	}
	return a, nil
}

// prompt reads the prompts in one run. It returns them with the first new tokens, and whether
// any row goes on.
func (o part) prompt(width, pads, room string) (known, going string) {
	ids, end := card.InputIDs.Name, o.scalarOf("width/scalar", width)
	o.named(inPrompt+ids, "prompts", "Identity", list(ids))
	slots := o.named(inPrompt+card.CachePosition.Name, "places", "Range", list(o.scalar(0), end, o.scalar(1)))
	o.mask(inPrompt, o.columns(end, room), pads)
	o.named(inPrompt+card.PositionIDs.Name, "positions", "Max",
		list(o.add("positions/row", "Sub", list(slots, pads)), o.vector(0)))
	first := o.run(inPrompt)
	return o.add("known/first", "Concat", list(ids, first), attribute("axis", 1)), o.going(first)
}

// turn is the body of the Loop: from the tokens known so far to those and one more of each row.
func (a *looped) turn(width, pads, room string) *onnxpb.GraphProto {
	turn, going, known, next := inNext+"turn", inNext+"going", inNext+"known", inNext+"answer"
	body := &onnxpb.GraphProto{Name: "turn", Input: []*onnxpb.ValueInfoProto{
		declared(turn, tensor.Int64), declared(going, tensor.Bool), declared(known, tensor.Int64, card.Batch, "known"),
	}}
	b := part{a, body, inNext}
	slot := turn // of the token that is read
	if !a.single {
		slot = b.add("slot/scalar", "Add", list(turn, b.scalarOf("width", width)))
	}
	after := b.add("after", "Add", list(slot, a.scalar(1)))
	slot = b.add("slot", "Unsqueeze", list(slot, a.vector(0)))
	token := b.named(inTurn+card.InputIDs.Name, "token", "Gather", list(known, slot), attribute("axis", 1))
	b.named(inTurn+card.CachePosition.Name, "place", "Identity", list(slot))
	columns := slot
	if !a.narrow {
		columns = b.columns(after, room)
	}
	b.mask(inTurn, columns, pads)
	b.named(inTurn+card.PositionIDs.Name, "position", "Max",
		list(b.add("position/row", "Sub", list(slot, pads)), a.vector(0)))
	for _, s := range a.states {
		past := s.Input()
		past.Name = inTurn + s.Past
		body.Input = append(body.Input, declaredPort(past))
	}
	best := b.run(inTurn)
	ended := b.add("ended", "Equal", list(token, a.vector(a.end)))
	if a.single { // in the prompt an end token is but a token
		answering := b.add("answering", "GreaterOrEqual", list(slot, width))
		ended = b.add("ended/answer", "And", list(ended, answering))
	}
	best = b.add("chosen", "Where", list(ended, a.vector(a.end), best))
	more := b.going(best)
	if a.single { // what follows a token of the prompt is known
		all := b.add("all", "Concat", list(known, best), attribute("axis", 1))
		upTo := b.add("end", "Max", list(b.add("end/new", "Add", list(slot, a.vector(2))), width))
		b.named(next, "answer", "Slice", list(all, a.vector(0), upTo, a.vector(1)))
		more = b.add("more", "Or", list(more, b.add("reading", "Greater", list(b.scalarOf("width", width), after))))
	} else {
		b.named(next, "answer", "Concat", list(known, best), attribute("axis", 1))
	}
	body.Output = []*onnxpb.ValueInfoProto{declared(more, tensor.Bool), declared(next, tensor.Int64, card.Batch, "more")}
	for _, s := range a.states {
		present := s.Output()
		present.Name = inTurn + s.Present
		body.Output = append(body.Output, declaredPort(present))
	}
	return body
}

// finish cuts the answers off what the Loop returns, and fills them up with end tokens.
func (o part) finish(rows, width string) {
	a, most := o.looped, card.MaxNew.Name
	answer := o.add("given", "Slice",
		list(inAnswer+"known", width, o.add("end", "Add", list(width, most)), a.vector(1)))
	given := o.add("given/width", "Gather", list(o.add("given/shape", "Shape", list(answer)), a.vector(1)))
	missing := o.add("missing", "Concat", list(rows, o.add("missing/width", "Sub", list(most, given))), attribute("axis", 0))
	filling := o.add("filling", "Expand", list(a.vector(a.end), missing))
	ids := o.named(card.OutputIDs.Name, "ids", "Concat", list(answer, filling), attribute("axis", 1))
	valid := o.add("valid", "Cast", list(o.open("valid/open", ids)), toInt64)
	o.named(card.OutputLengths.Name, "lengths", "ReduceSum", list(valid, a.vector(1)), attribute("keepdims", 0))
}
