package tensor_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
)

// A header of nothing but empty tensors, or with a name that fills it, is refused
// early.
func TestReadSafetensorsBounds(t *testing.T) {
	entry := `"%s":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`
	var many strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&many, ","+entry, strconv.Itoa(i))
	}
	for _, tc := range []struct{ name, header, want string }{
		{"tensors", "{" + many.String()[1:] + "}", "names more than 65536 tensors"},
		{"a name", "{" + fmt.Sprintf(entry, strings.Repeat("n", 900_000)) + "}",
			"the name of a tensor has 900000 bytes; at most 1024 are read"},
		{"axes", `{"a":{"dtype":"F32","shape":[` + strings.Repeat("1,", 1000) + `0],"data_offsets":[0,0]}}`,
			"has 1001 axes"},
		{"header", "{" + strings.Repeat(" ", 1<<25) + "}", "and at most 33554432 are read"},
	} {
		data := append(binary.LittleEndian.AppendUint64(nil, uint64(len(tc.header))), tc.header...)
		_, _, err := tensor.ReadSafetensors(bytes.NewReader(data), int64(len(data)))
		if err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 500 {
			t.Errorf("%s: error %.500v, want %q", tc.name, err, tc.want)
		}
	}
}
