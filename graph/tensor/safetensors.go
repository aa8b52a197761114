package tensor

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nopezoo/zoo/internal/lists"
)

// The safetensors format (https://github.com/huggingface/safetensors): the
// length of the header in 8 bytes, the header as JSON, then the elements of all
// tensors, little-endian, without gaps. Offsets count from the end of the header.

// entry is what the header says of one tensor.
type entry struct {
	DType   string    `json:"dtype"`
	Shape   []int64   `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

const metadataKey = "__metadata__"

// WriteSafetensors writes tensors and metadata in the safetensors format. Equal
// contents give equal bytes: tensors stand in order of element size, largest
// first so that all are aligned, and then of name.
func WriteSafetensors(w io.Writer, tensors map[string]*Tensor, metadata map[string]string) error {
	names := make([]string, 0, len(tensors))
	for name := range tensors {
		if name == metadataKey || !utf8.ValidString(name) {
			return fmt.Errorf("safetensors: a tensor cannot be named %q", name)
		}
		names = append(names, name)
	}
	for k, v := range metadata {
		if !utf8.ValidString(k + v) {
			return fmt.Errorf("safetensors: metadata %q: %q is not valid UTF-8", k, v)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := tensors[b].dtype.Bytes(1) - tensors[a].dtype.Bytes(1); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	header, err := safeHeader(names, tensors, metadata)
	if err != nil {
		return fmt.Errorf("safetensors: header: %w", err)
	}
	if _, err := w.Write(header); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	for _, name := range names {
		if _, err := w.Write(tensors[name].Raw()); err != nil {
			return fmt.Errorf("safetensors: tensor %s: %w", name, err)
		}
	}
	return nil
}

// safeHeader returns length and JSON, padded with spaces to a multiple of 8.
func safeHeader(names []string, tensors map[string]*Tensor, metadata map[string]string) ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 8))
	separator := "{"
	field := func(key string, value any) error {
		k, err := json.Marshal(key)
		if err != nil {
			return err
		}
		v, err := json.Marshal(value)
		if err != nil {
			return err
		}
		buf.WriteString(separator)
		separator = ","
		buf.Write(k)
		buf.WriteByte(':')
		buf.Write(v)
		return nil
	}
	if len(metadata) > 0 {
		if err := field(metadataKey, metadata); err != nil {
			return nil, err
		}
	}
	at := uint64(0)
	for _, name := range names {
		t := tensors[name]
		if t.dtype.described().safe == "" {
			return nil, fmt.Errorf("tensor %s is %v, for which the format has no name", name, t.dtype)
		}
		e := entry{DType: t.dtype.described().safe, Offsets: [2]uint64{at, at + uint64(t.size())},
			Shape: lists.Make(len(t.shape), func(i int) int64 { return int64(t.shape[i]) })}
		at = e.Offsets[1]
		if err := field(name, e); err != nil {
			return nil, err
		}
	}
	if separator == "{" {
		buf.WriteByte('{')
	}
	buf.WriteByte('}')
	for buf.Len()%8 != 0 {
		buf.WriteByte(' ')
	}
	binary.LittleEndian.PutUint64(buf.Bytes(), uint64(buf.Len()-8))
	return buf.Bytes(), nil
}
