package card

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The names of axes without a fixed length.
const (
	Batch = "batch"          // B: rows
	Seq   = "seq"            // T: new tokens of each row; the length 1 in a model that takes one at a time
	Past  = "past"           // slots that earlier calls have filled; the length 0 in a model without a growing state
	Room  = "capacity"       // slots that there is memory for, in a model with a state in place
	Kept  = "logits_to_keep" // last tokens of each row that have logits; all of Seq without the input LogitsToKeep
)

// The element types of ports and of weights, as package graph/tensor calls them. Ports are
// Int64 or Float32 in every file of zoo's; in others' Int32 or Float16 may be in
// their places.
const (
	Int64    = "int64"
	Int32    = "int32"
	Float32  = "float32"
	Float16  = "float16"
	BFloat16 = "bfloat16"

	// Integers in blocks that have a scale each, and of files before there were blocks integers of 8 bits with a scale for each row.
	Int8Block = "int8-block"
	Int4Block = "int4-block"
	Int8      = "int8"
)

// narrow are the precisions of large matrices that are not float32.
var narrow = []string{Float16, BFloat16, Int8Block, Int4Block, Int8}

// Port describes one input or output of a model.
type Port struct {
	Name  string
	DType string   // such as "float32"
	Shape []string // axes: lengths, names, or sums of them such as "past+seq"; "?" where a file does not say
}

// The inputs and outputs of a model, except its state. A model declares only the inputs
// that it reads. CachePosition is for a model with states in place or windows, whose mask
// is [batch, capacity]: 0 on slots of padding, 1 on all others, filled or not.
var (
	InputIDs      = Port{"input_ids", Int64, []string{Batch, Seq}}
	AttentionMask = Port{"attention_mask", Int64, []string{Batch, Past + "+" + Seq}} // 0 on padding, else 1
	PositionIDs   = Port{"position_ids", Int64, []string{Batch, Seq}}                // see Card.Positions
	CachePosition = Port{"cache_position", Int64, []string{Seq}}                     // consecutive slots of the new tokens
	LogitsToKeep  = Port{Kept, Int64, []string{"1"}}                                 // see Kept
	Logits        = Port{"logits", Float32, []string{Batch, Kept, "vocab"}}
)

// What a file of the form Looped has in addition to InputIDs and AttentionMask, which covers the
// prompts there, padded on the left: [batch, seq]. A row of answers ends with the tokenizer's
// end token, of which the rest of the row consists too; its length is that without them, and
// max_new where it did not end.
var (
	MaxNew        = Port{"max_new", Int64, []string{"1"}} // new tokens of each row
	OutputIDs     = Port{"output_ids", Int64, []string{Batch, "max_new"}}
	OutputLengths = Port{"output_lengths", Int64, []string{Batch}}
)

// Attentions names the output of a layer's attention weights, float32 [B, heads, T, S] over S
// slots: all of them, or in a layer with a window the kept ones, and the new ones. Few
// models have it.
func Attentions(layer int) string { return fmt.Sprintf("attentions.%d", layer) }

// String describes the port as "input_ids int64[batch,seq]".
func (p Port) String() string {
	return p.Name + " " + p.DType + "[" + strings.Join(p.Shape, ",") + "]"
}

// MarshalText implements encoding.TextMarshaler, as String.
func (p Port) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// find returns the index of the port in what a file declares, −1 where it does not. Another
// element type, number of axes or fixed length there is an error.
func (p Port) find(declared []Port) (int, error) {
	i := slices.IndexFunc(declared, func(d Port) bool { return d.Name == p.Name })
	if i < 0 {
		return i, nil
	}
	d := declared[i]
	fits := d.DType == p.DType && slices.EqualFunc(d.Shape, p.Shape, func(a, b string) bool {
		return a == b || !fixed(a) || !fixed(b)
	})
	if !fits {
		return i, fmt.Errorf("%v of the model does not fit %v", d, p)
	}
	return i, nil
}

// typed returns the port with the element type that a file of another program has in its place,
// where that holds the same in fewer bits.
func (p Port) typed(declared []Port) Port {
	i := slices.IndexFunc(declared, func(d Port) bool { return d.Name == p.Name })
	if i >= 0 && (p.DType == Int64 && declared[i].DType == Int32 || p.DType == Float32 && declared[i].DType == Float16) {
		p.DType = declared[i].DType
	}
	return p
}

// fixed reports whether an axis is a length.
func fixed(axis string) bool {
	_, err := strconv.Atoi(axis)
	return err == nil
}
