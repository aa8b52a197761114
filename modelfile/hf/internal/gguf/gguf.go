// Package gguf reads files in llama.cpp's format GGUF, version 3 (ggml-org/ggml, docs/gguf.md): pairs of keys and values,
// and tensors in 16 and 32 bits or in blocks of a few bits. Files are not trusted: counts, offsets and nesting are checked
// against the file's size before memory is taken.
package gguf

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/wrap"
)

// File is an open file.
type File struct {
	// Pairs are its metadata: bool, float64, int64, string, or a list of these, []any.
	Pairs map[string]any
	// Tensors are what it holds.
	Tensors map[string]Tensor

	data io.ReaderAt
	at   int64 // where the tensors begin
}

// Tensor is a tensor of a file.
type Tensor struct {
	Shape []int // rows first, as elsewhere in zoo

	kind   uint32
	offset int64
}

// Bounds of what no model has: guards against damaged and hostile files.
const (
	maxPairs   = 1 << 16
	maxTensors = 1 << 16
	maxAxes    = 4
	maxNesting = 2
	maxHeader  = 1 << 28 // bytes before the tensors
)

// Open reads what stands before the tensors in the size bytes of r.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{Pairs: map[string]any{}, Tensors: map[string]Tensor{}, data: r}
	h := &header{r: bufio.NewReaderSize(io.NewSectionReader(r, 0, min(size, maxHeader)), 1<<16), left: min(size, maxHeader)}
	return wrap.Value(f, f.read(h, size), "gguf")
}

func (f *File) read(h *header, size int64) error {
	if magic := h.bytes(4); string(magic) != "GGUF" {
		return errors.New("the file does not begin with GGUF")
	}
	if version := h.u32(); version != 3 && h.err == nil {
		return fmt.Errorf("version %d: want 3; files of other versions are converted by llama.cpp's tools", version)
	}
	tensors, pairs := h.u64(), h.u64()
	if tensors > maxTensors || pairs > maxPairs {
		return fmt.Errorf("%d tensors and %d pairs: at most %d and %d are read", tensors, pairs, maxTensors, maxPairs)
	}
	for range pairs {
		key := h.text()
		if _, twice := f.Pairs[key]; twice {
			return fmt.Errorf("the key %.60q occurs twice", key)
		}
		f.Pairs[key] = h.value(h.u32(), 0)
		if h.err != nil {
			return fmt.Errorf("the pair %.60q: %w", key, h.err)
		}
	}
	for range tensors {
		name := h.text()
		if _, twice := f.Tensors[name]; twice {
			return fmt.Errorf("the tensor %.60q occurs twice", name)
		}
		t, err := h.tensor()
		if err != nil {
			return fmt.Errorf("the tensor %.60q: %w", name, err)
		}
		f.Tensors[name] = t
	}
	if h.err != nil {
		return h.err
	}
	alignment := int64(32)
	if given, ok := f.Pairs["general.alignment"].(int64); ok {
		alignment = given
	}
	if alignment < 8 || alignment > 1<<16 || alignment%8 != 0 {
		return fmt.Errorf("general.alignment %d: want a multiple of 8 up to %d", alignment, 1<<16)
	}
	f.at = (h.read + alignment - 1) / alignment * alignment
	return f.checkLayout(size, alignment)
}

// checkLayout checks that every tensor lies in the file, and that none overlaps another.
func (f *File) checkLayout(size, alignment int64) error {
	type stretch struct {
		name       string
		start, end int64
	}
	var all []stretch
	for name, t := range f.Tensors {
		switch length := t.bytes(); {
		case t.offset%alignment != 0:
			return fmt.Errorf("the tensor %.60q: offset %d is no multiple of %d", name, t.offset, alignment)
		case t.offset > size-f.at || length > size-f.at-t.offset:
			return fmt.Errorf("the tensor %.60q: %d bytes from %d on are outside the file, which has %d", name, length, f.at+t.offset, size)
		case length > 0:
			all = append(all, stretch{name, t.offset, t.offset + length})
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return int(min(max(a.start-b.start, -1), 1)) })
	for i := 1; i < len(all); i++ {
		if all[i].start < all[i-1].end {
			return fmt.Errorf("the tensors %.60q and %.60q overlap", all[i-1].name, all[i].name)
		}
	}
	return nil
}

// Read returns a tensor: in 16 bits if it is stored so, else in float32.
func (f *File) Read(name string) (*tensor.Tensor, error) {
	t, ok := f.Tensors[name]
	if !ok {
		return nil, fmt.Errorf("gguf: there is no tensor %.60q", name)
	}
	raw := make([]byte, t.bytes())
	if n, err := f.data.ReadAt(raw, f.at+t.offset); n < len(raw) {
		return nil, fmt.Errorf("gguf: the tensor %.60q: %w", name, err)
	}
	k := kinds[t.kind]
	if k.values == nil {
		return tensor.FromRaw(k.dtype, raw, t.Shape...)
	}
	out := tensor.New(tensor.Float32, t.Shape...)
	data := tensor.Data[float32](out)
	const together = 1 << 10 // blocks
	tensor.Parallel((len(raw)/k.size+together-1)/together, func(part int) {
		for block := part * together; block < min((part+1)*together, len(raw)/k.size); block++ {
			k.values(raw[block*k.size:][:k.size], data[block*k.block:][:k.block])
		}
	})
	return out, nil
}

// bytes is what a tensor takes in the file; its shape was checked.
func (t Tensor) bytes() int64 {
	k := kinds[t.kind]
	return int64(tensor.Numel(t.Shape)) / int64(k.block) * int64(k.size)
}

// header reads what stands before the tensors. The first error stays.
type header struct {
	r          *bufio.Reader
	read, left int64
	err        error
}

// bytes returns the next n bytes, zeros after an error.
func (h *header) bytes(n int64) []byte {
	if h.err == nil && n > h.left {
		h.err = fmt.Errorf("%d bytes at %d are outside the file, or beyond the %d that are read before tensors", n, h.read, int64(maxHeader))
	}
	if h.err != nil {
		return make([]byte, min(n, 8))
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(h.r, b); err != nil {
		h.err = err
	}
	h.read, h.left = h.read+n, h.left-n
	return b
}

func (h *header) u32() uint32 { return binary.LittleEndian.Uint32(h.bytes(4)) }
func (h *header) u64() uint64 { return binary.LittleEndian.Uint64(h.bytes(8)) }

func (h *header) text() string {
	n := h.u64()
	if n > uint64(max(h.left, 0)) && h.err == nil {
		h.err = fmt.Errorf("a string of %d bytes at %d is outside the file", n, h.read)
	}
	if h.err != nil {
		return ""
	}
	s := string(h.bytes(int64(n)))
	if !utf8.ValidString(s) && h.err == nil {
		h.err = fmt.Errorf("the string %.60q is not UTF-8", s)
	}
	return s
}

// The types of values.
const (
	typeString = 8
	typeArray  = 9
)

// sizes are the bytes of a value of each type; 0 where they differ.
var sizes = [...]int64{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8}

func (h *header) value(kind uint32, nesting int) any {
	if kind >= uint32(len(sizes)) {
		if h.err == nil {
			h.err = fmt.Errorf("a value of type %d: want 0 to %d", kind, len(sizes)-1)
		}
		return nil
	}
	switch kind {
	case typeString:
		return h.text()
	case typeArray:
		element, n := h.u32(), h.u64()
		least := int64(8) // of a string or a list
		if element < uint32(len(sizes)) && sizes[element] > 0 {
			least = sizes[element]
		}
		if h.err == nil && (nesting >= maxNesting || n > uint64(h.left/least)) {
			h.err = fmt.Errorf("a list of %d values at %d, %d deep: it is outside the file, or deeper than %d", n, h.read, nesting, maxNesting)
		}
		if h.err != nil {
			return nil
		}
		list := make([]any, 0, min(n, 1<<16))
		for range n {
			if list = append(list, h.value(element, nesting+1)); h.err != nil {
				return nil
			}
		}
		return list
	}
	b := slices.Concat(h.bytes(sizes[kind]), make([]byte, 8))
	bits := binary.LittleEndian.Uint64(b)
	switch kind {
	case 0, 2, 4:
		return int64(bits)
	case 1:
		return int64(int8(bits))
	case 3:
		return int64(int16(bits))
	case 5:
		return int64(int32(bits))
	case 6:
		return float64(math.Float32frombits(uint32(bits)))
	case 7:
		return bits != 0
	case 10:
		if bits > math.MaxInt64 && h.err == nil {
			h.err = fmt.Errorf("the number %d is too large", bits)
		}
		return int64(bits)
	case 11:
		return int64(bits)
	}
	return math.Float64frombits(bits)
}

func (h *header) tensor() (Tensor, error) {
	axes := h.u32()
	if h.err == nil && (axes < 1 || axes > maxAxes) {
		return Tensor{}, fmt.Errorf("it has %d axes: want 1 to %d", axes, maxAxes)
	}
	var t Tensor
	product := int64(1)
	for range axes {
		d := h.u64()
		if d < 1 || d > math.MaxInt32 || product > math.MaxInt64/int64(d)/8 {
			if h.err != nil {
				return t, h.err
			}
			return t, fmt.Errorf("an axis of %d is too large, or makes the tensor so", d)
		}
		product *= int64(d)
		t.Shape = append(t.Shape, int(d))
	}
	t.kind = h.u32()
	offset := h.u64()
	if h.err != nil {
		return t, h.err
	}
	k, ok := kinds[t.kind]
	if !ok {
		return t, fmt.Errorf("its values are of type %s, which is not read; take a file whose types are %s, or the folder with safetensors",
			cmp.Or(unread[t.kind], fmt.Sprint(t.kind)), known())
	}
	if t.Shape[0]%k.block != 0 {
		return t, fmt.Errorf("rows of %d values are no whole blocks of %d", t.Shape[0], k.block)
	}
	if offset > math.MaxInt64/2 {
		return t, fmt.Errorf("offset %d is outside the file", offset)
	}
	t.offset = int64(offset)
	slices.Reverse(t.Shape) // the file has the fastest axis first
	return t, nil
}
