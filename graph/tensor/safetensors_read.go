package tensor

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/wrap"
)

// The most that is read of a header: far above that of the largest models. Without
// it, a header of nothing but empty tensors takes minutes.
const (
	// MaxHeader is in bytes; other readers of the format accept some more.
	MaxHeader  = 1 << 25
	maxTensors = 1 << 16
	maxName    = 1 << 10 // bytes
	maxAxes    = 1 << 6
)

// ReadSafetensors reads tensors and metadata in the safetensors format from the
// size bytes of r, from the first to the last. It fails on anything that the format forbids, and never takes more
// memory than a small multiple of size.
func ReadSafetensors(r io.ReaderAt, size int64) (map[string]*Tensor, map[string]string, error) {
	tensors, metadata, err := readSafe(r, size)
	if err != nil {
		return nil, nil, wrap.Error(err, "safetensors")
	}
	return tensors, metadata, nil
}

// SafetensorsMetadata reads the metadata alone, after checking that the header
// describes exactly the data of a file of that size.
func SafetensorsMetadata(r io.ReaderAt, size int64) (map[string]string, error) {
	_, _, metadata, err := readChecked(r, size)
	return wrap.Value(metadata, err, "safetensors")
}

func readSafe(r io.ReaderAt, size int64) (map[string]*Tensor, map[string]string, error) {
	start, entries, metadata, err := readChecked(r, size)
	if err != nil {
		return nil, nil, err
	}
	tensors := make(map[string]*Tensor, len(entries))
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int { return inFile(entries, a, b) })
	for _, name := range names {
		e := entries[name]
		data := io.NewSectionReader(r, start+int64(e.Offsets[0]), int64(e.Offsets[1]-e.Offsets[0]))
		if tensors[name], err = readElements(data, e); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
		}
	}
	return tensors, metadata, nil
}

// readChecked reads and checks the header. start is where the data begins.
func readChecked(r io.ReaderAt, size int64) (
	start int64, entries map[string]entry, metadata map[string]string, err error,
) {
	header, err := readHeader(r, size)
	if err != nil {
		return 0, nil, nil, err
	}
	if entries, metadata, err = parseHeader(header); err != nil {
		return 0, nil, nil, err
	}
	start = int64(8 + len(header))
	return start, entries, metadata, checkLayout(entries, uint64(size-start))
}

func readHeader(r io.ReaderAt, size int64) ([]byte, error) {
	if size < 8 {
		return nil, fmt.Errorf("%d bytes are too few for a header", size)
	}
	var length [8]byte
	if err := readAt(r, length[:], 0); err != nil {
		return nil, fmt.Errorf("length of the header: %w", err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > uint64(size-8) || n > MaxHeader {
		return nil, fmt.Errorf("a header of %d bytes does not fit: the file has %d, and at most %d are read",
			n, size, MaxHeader)
	}
	header := make([]byte, n)
	return wrap.Value(header, readAt(r, header, 8), "header")
}

// readAt fills buf; a reader may say EOF along with the last bytes.
func readAt(r io.ReaderAt, buf []byte, offset int64) error {
	n, err := r.ReadAt(buf, offset)
	if n == len(buf) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// parseHeader reads the JSON object key by key, because package json would let
// the last of two equal keys win.
func parseHeader(header []byte) (map[string]entry, map[string]string, error) {
	dec := json.NewDecoder(bytes.NewReader(header))
	dec.DisallowUnknownFields()
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil, nil, errors.New("the header is not a JSON object")
	}
	entries := map[string]entry{}
	var metadata map[string]string
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, nil, fmt.Errorf("header: %w", err)
		}
		name, _ := token.(string)
		if _, twice := entries[name]; twice || name == metadataKey && metadata != nil {
			return nil, nil, fmt.Errorf("header: %q occurs twice", name)
		}
		switch {
		case len(entries) >= maxTensors:
			return nil, nil, fmt.Errorf("header: it names more than %d tensors, which no model has: the file is "+
				"damaged or hostile", maxTensors)
		case len(name) > maxName:
			return nil, nil, fmt.Errorf("header: the name of a tensor has %d bytes; at most %d are read: %.40q…",
				len(name), maxName, name)
		}
		if name == metadataKey {
			metadata = map[string]string{}
			err = dec.Decode(&metadata)
		} else {
			var e entry
			err = dec.Decode(&e)
			entries[name] = e
		}
		if err != nil {
			return nil, nil, fmt.Errorf("header: %q: %w", name, err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	if rest := header[dec.InputOffset():]; len(bytes.TrimSpace(rest)) > 0 {
		return nil, nil, fmt.Errorf("header: %d bytes follow the JSON object", len(rest))
	}
	return entries, metadata, nil
}

// inFile compares entries by their places in the file.
func inFile(entries map[string]entry, a, b string) int {
	x, y := entries[a].Offsets, entries[b].Offsets
	return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(a, b))
}

// checkLayout checks that every tensor has the bytes its type needs, and that
// together they cover the data exactly.
func checkLayout(entries map[string]entry, size uint64) error {
	names := make([]string, 0, len(entries))
	for name, e := range entries {
		want, err := e.bytes()
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		if e.Offsets[0] > e.Offsets[1] || e.Offsets[1] > size {
			return fmt.Errorf("tensor %q: offsets %v are outside the %d bytes of data", name, e.Offsets, size)
		}
		if got := e.Offsets[1] - e.Offsets[0]; got != want {
			return fmt.Errorf("tensor %q: %s%v needs %d bytes, offsets %v span %d",
				name, e.DType, e.Shape, want, e.Offsets, got)
		}
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return inFile(entries, a, b) })
	end := uint64(0)
	for _, name := range names {
		if at := entries[name].Offsets[0]; at != end {
			return fmt.Errorf("tensor %q: starts at byte %d where %d is due, so tensors overlap or leave a gap",
				name, at, end)
		}
		end = entries[name].Offsets[1]
	}
	if end != size {
		return fmt.Errorf("%d bytes follow the last tensor", size-end)
	}
	return nil
}

// bytes returns what the tensor takes in the file.
func (e entry) bytes() (uint64, error) {
	n := uint64(fromSafe(e.DType).Bytes(1))
	if n == 0 {
		return 0, fmt.Errorf("dtype %q is not known; known are F32, F64, F16, BF16, I64, I32, I8, U8, BOOL", e.DType)
	}
	if e.Shape == nil {
		return 0, errors.New("has no shape")
	}
	if len(e.Shape) > maxAxes {
		return 0, fmt.Errorf("has %d axes; at most %d are read", len(e.Shape), maxAxes)
	}
	// Bounding the product without its zeros keeps every partial product in range.
	empty := false
	for _, d := range e.Shape {
		switch {
		case d < 0:
			return 0, fmt.Errorf("shape %v has a negative axis", e.Shape)
		case d == 0:
			empty = true
		case n > math.MaxInt64/uint64(d):
			return 0, fmt.Errorf("shape %v is too large", e.Shape)
		default:
			n *= uint64(d)
		}
	}
	if empty {
		return 0, nil
	}
	return n, nil
}

func readElements(r io.Reader, e entry) (*Tensor, error) {
	dtype := fromSafe(e.DType)
	shape := lists.Map(e.Shape, func(d int64) int { return int(d) })
	raw := make([]byte, e.Offsets[1]-e.Offsets[0])
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, err
	}
	return FromRaw(dtype, raw, shape...)
}
