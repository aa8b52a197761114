package safety

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

const (
	// maxMessages bounds the nodes, attributes, tensors and axes of a file together.
	// An empty message takes two bytes in a file and a hundred times that in memory,
	// so the size of the file alone bounds too little.
	maxMessages = 1 << 19
	// maxDepth bounds messages within messages: a graph within a graph takes three.
	maxDepth = 32
)

// parsing is called for each file that is parsed, for tests that count them.
var parsing = func() {}

// parse decodes a file into our schema, after a walk over its bytes has shown
// that this takes bounded memory.
func parse(data []byte, opt proto.UnmarshalOptions) (*onnxpb.ModelProto, error) {
	if len(data) == 0 {
		return nil, errors.New("the file is empty")
	}
	if len(data) > MaxFile {
		return nil, fmt.Errorf("the file has %d bytes; an ONNX file has at most %d", len(data), MaxFile)
	}
	if err := scan(data); err != nil {
		return nil, err
	}
	parsing()
	m := &onnxpb.ModelProto{}
	if err := opt.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("not an ONNX file: %w", err)
	}
	if m.Graph == nil || m.IrVersion == 0 {
		return nil, errors.New("not an ONNX file: it has no graph or no ir_version")
	}
	return m, nil
}

// scan checks the outer form of a file: every field of every message of our
// schema lies within its bounds, and there are neither too many messages nor too
// many within one another.
func scan(data []byte) error {
	s := scanner{size: len(data)}
	return s.message(data, 0, (&onnxpb.ModelProto{}).ProtoReflect().Descriptor(), "model", 1)
}

type scanner struct{ size, messages int }

func (s *scanner) message(b []byte, at int, md protoreflect.MessageDescriptor, path string, depth int) error {
	if s.messages++; s.messages > maxMessages {
		return fmt.Errorf("more than %d nodes, attributes, tensors and axes in the file", maxMessages)
	}
	if depth > maxDepth {
		return fmt.Errorf("graphs within graphs more than %d deep", maxDepth/3)
	}
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return fmt.Errorf("not an ONNX file, or damaged: no field at byte %d of %d, in %s", at, s.size, path)
		}
		v := protowire.ConsumeFieldValue(num, typ, b[n:])
		if v < 0 {
			return fmt.Errorf("not an ONNX file, or truncated: field %d at byte %d of %d, in %s, is incomplete",
				num, at, s.size, path)
		}
		if fd := md.Fields().ByNumber(num); fd != nil && fd.Message() != nil && typ == protowire.BytesType {
			inner, k := protowire.ConsumeBytes(b[n:])
			start := at + n + k - len(inner)
			if err := s.message(inner, start, fd.Message(), path+"."+string(fd.Name()), depth+1); err != nil {
				return err
			}
		}
		b, at = b[n+v:], at+n+v
	}
	return nil
}
