package safety

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// Models of more data than one file holds keep initializers apart from their graph, in memory too. ONNX Runtime
// takes the bytes of both, so that it computes with what was validated.

// mostUnused bounds the bytes of a data file that no initializer has: they take memory all the same.
const mostUnused = 64 << 20

// exceeds reports whether a graph's initializers in other files, and the file's own size, are more than one file
// holds.
func exceeds(g *onnxpb.GraphProto, size int64) (bool, error) {
	for _, t := range g.Initializer {
		if t.DataLocation != external {
			continue
		}
		length, err := bytesOf(t)
		if err != nil {
			return false, fmt.Errorf("initializer %s: %w", onnxpb.Quote(t.Name), err)
		}
		size += length
	}
	return size > onnxpb.MaxMessage, nil
}

// part is where the data of an initializer lies in another file.
type part struct {
	owner       string
	offset, end int64
}

// placed returns where the data of an initializer lies in another file.
func placed(t *onnxpb.TensorProto) (name string, offset, length int64, err error) {
	if length, err = bytesOf(t); err == nil {
		name, offset, err = placeOf(t, length)
	}
	return name, offset, length, err
}

// readApart reads the files with a graph's initializers.
func (r *inliner) readApart(g *onnxpb.GraphProto) (map[string][]byte, error) {
	parts := map[string][]part{}
	for _, t := range g.Initializer {
		if t.DataLocation != external {
			continue
		}
		name, offset, length, err := placed(t)
		switch {
		case err != nil:
		case strings.ContainsAny(name, `/\`):
			err = fmt.Errorf("its data: the file %s is not named by a plain file name; move it into the model's folder",
				onnxpb.Quote(name))
		case offset > offset+length:
			err = fmt.Errorf("its data: the offset %d is too large", offset)
		}
		if err != nil {
			return nil, fmt.Errorf("initializer %s: %w", onnxpb.Quote(t.Name), err)
		}
		parts[name] = append(parts[name], part{t.Name, offset, offset + length})
	}
	out := map[string][]byte{}
	for name, list := range parts {
		end, err := layOut(name, list)
		if err == nil {
			out[name], err = r.read(name, 0, end)
		}
		if err != nil {
			return nil, fmt.Errorf("data of initializers: %w", err)
		}
	}
	return out, nil
}

// layOut refuses parts of a file that overlap, and much between them that is unused. It returns where the last
// one ends.
func layOut(name string, list []part) (end int64, err error) {
	slices.SortFunc(list, func(a, b part) int { return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.end, b.end)) })
	unused, before := int64(0), ""
	for _, p := range list {
		if p.offset < end {
			return 0, fmt.Errorf("in the file %s the data of %s and %s overlap at byte %d",
				onnxpb.Quote(name), onnxpb.Quote(before), onnxpb.Quote(p.owner), p.offset)
		}
		unused, end, before = unused+p.offset-end, p.end, p.owner
	}
	if unused > mostUnused {
		return 0, fmt.Errorf("of the file %s no initializer has %d bytes of the first %d; at most %d may be unused",
			onnxpb.Quote(name), unused, end, mostUnused)
	}
	return end, nil
}

// attach gives initializers the data that they have in other files, and returns them.
func attach(g *onnxpb.GraphProto, files map[string][]byte) (apart []*onnxpb.TensorProto, err error) {
	for _, t := range g.Initializer {
		if t.DataLocation != external || len(files) == 0 {
			continue
		}
		name, offset, length, err := placed(t)
		if data := files[name]; err == nil && offset > int64(len(data))-length {
			err = fmt.Errorf("its data: of the file %s %d bytes are given, and %d from byte %d on are wanted",
				onnxpb.Quote(name), len(data), length, offset)
		}
		if err != nil {
			return nil, fmt.Errorf("initializer %s: %w", onnxpb.Quote(t.Name), err)
		}
		t.RawData, t.DataLocation, t.ExternalData = files[name][offset:offset+length:offset+length], 0, nil
		apart = append(apart, t)
	}
	return apart, nil
}

// place puts the data of an initializer into another file.
func place(t *onnxpb.TensorProto, name string, offset, length int) {
	entry := func(key, value string) *onnxpb.StringStringEntryProto {
		return &onnxpb.StringStringEntryProto{Key: key, Value: value}
	}
	t.ExternalData = []*onnxpb.StringStringEntryProto{entry(location, name), entry("offset", fmt.Sprint(offset)),
		entry("length", fmt.Sprint(length))}
	t.DataLocation = external
}
