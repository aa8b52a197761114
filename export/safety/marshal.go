package safety

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// Marshal writes a file that Check lets pass under the options, with metadata. A card among it
// gets the hash of the weights. If the file has a name, the large initializers are in a second one (IsData), and beside has
// its contents by its name; "" is for none.
func Marshal(m *onnxpb.ModelProto, metadata map[string]string, opt Options, name string) (
	data []byte, beside map[string][]byte, err error,
) {
	if err := finish(m, metadata, opt); err != nil {
		return nil, nil, err
	}
	if name == "" {
		data, err = marshal(m)
		return data, nil, err
	}
	size := 0
	for _, t := range m.Graph.Initializer {
		size += len(t.RawData) + pageSize
	}
	contents, offsets := make([]byte, 0, size), map[*onnxpb.TensorProto]int{}
	for _, t := range m.Graph.Initializer {
		if len(t.RawData) >= LeastApart {
			offsets[t] = (len(contents) + pageSize - 1) / pageSize * pageSize
			contents = append(contents[:offsets[t]], t.RawData...)
		}
	}
	sum := sha256.Sum256(contents)
	name = fmt.Sprintf("%s.%x%s", name, sum[:dataDigits/2], dataSuffix)
	data, _, err = without(m, name, func(t *onnxpb.TensorProto) int { return offsets[t] })
	return data, map[string][]byte{name: contents}, err
}

// IsData reports whether a file is called as the data files of a model file: NAME.onnx.0123abcd.data, where the digits begin
// the SHA-256 of its contents. So the data file of a model never takes the place of another one's.
func IsData(file, model string) bool {
	digits, ours := strings.CutPrefix(file, model+".")
	digits, ends := strings.CutSuffix(digits, dataSuffix)
	return ours && ends && len(digits) == dataDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

const (
	dataSuffix = ".data"
	dataDigits = 8
)

// Keep is Marshal for a file that stays in memory, of which the data of large initializers is not copied.
func Keep(m *onnxpb.ModelProto, metadata map[string]string, opt Options) (*File, error) {
	if err := finish(m, metadata, opt); err != nil {
		return nil, err
	}
	data, apart, err := without(m, "memory", func(*onnxpb.TensorProto) int { return 0 })
	if err != nil {
		return nil, err
	}
	f := newFile(m, data, apart)
	f.validated, f.Scattered = true, true
	return f, nil
}

const (
	// LeastApart is the fewest bytes of an initializer that is kept apart from the file.
	LeastApart = 1024
	// pageSize is what the initializers in a second file begin at multiples of, so that they can be mapped.
	pageSize = 4096
)

// finish validates a file, and gives it metadata.
func finish(m *onnxpb.ModelProto, metadata map[string]string, opt Options) error {
	if err := validate(m, opt); err != nil {
		return err
	}
	if metadata[card.SchemaKey] != "" {
		metadata = maps.Clone(metadata)
		metadata[card.WeightsKey] = weightsHash(m.Graph)
	}
	for _, k := range slices.Sorted(maps.Keys(metadata)) {
		m.MetadataProps = append(m.MetadataProps, &onnxpb.StringStringEntryProto{Key: k, Value: metadata[k]})
	}
	return nil
}

// without returns the bytes of a file without the data of its large initializers, which are in the file of a name
// at the offsets that offset gives.
func without(m *onnxpb.ModelProto, name string, offset func(*onnxpb.TensorProto) int) (
	data []byte, apart []*onnxpb.TensorProto, err error,
) {
	all := m.Graph.Initializer
	m.Graph.Initializer = slices.Clone(all)
	defer func() { m.Graph.Initializer = all }()
	for i, t := range all {
		if len(t.RawData) < LeastApart {
			continue
		}
		apart = append(apart, t)
		m.Graph.Initializer[i] = &onnxpb.TensorProto{Name: t.Name, Dims: t.Dims, DataType: t.DataType}
		place(m.Graph.Initializer[i], name, offset(t), len(t.RawData))
	}
	data, err = marshal(m)
	return data, apart, err
}

func marshal(m *onnxpb.ModelProto) ([]byte, error) {
	data, err := onnxpb.Marshal(m)
	if err != nil {
		return nil, err
	}
	return data, onnxpb.Scan(data)
}
