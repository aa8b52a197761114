package safety

import (
	"errors"
	"fmt"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// parsing is called for each file that is parsed, for tests that count them.
var parsing = func() {}

// parse decodes a file. What the schema lacks is kept, or else dropped.
func parse(data []byte, keep bool) (*onnxpb.ModelProto, error) {
	if len(data) == 0 {
		return nil, errors.New("the file is empty")
	}
	if len(data) > MaxFile {
		return nil, fmt.Errorf("the file has %d bytes; an ONNX file has at most %d", len(data), MaxFile)
	}
	parsing()
	m := &onnxpb.ModelProto{}
	if err := onnxpb.Unmarshal(data, m, keep); err != nil {
		return nil, err
	}
	if m.Graph == nil || m.IrVersion == 0 {
		return nil, errors.New("not an ONNX file: it has no graph or no ir_version")
	}
	return m, nil
}
