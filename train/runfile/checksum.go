package runfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
)

// checksumKey names the checksum in a checkpoint's metadata: the SHA-256 of the
// whole file as it is with zeros in the checksum's place, in hex. It covers
// every byte, so a single flipped bit anywhere is seen.
const checksumKey = "zoo.sha256"

var noChecksum = strings.Repeat("0", 2*sha256.Size)

// writeChecked writes a safetensors file with its checksum. The tensors are
// encoded twice rather than held twice.
func writeChecked(w io.Writer, all map[string]*tensor.Tensor, meta map[string]string) error {
	meta = maps.Clone(meta)
	meta[checksumKey] = noChecksum
	sum := sha256.New()
	if err := tensor.WriteSafetensors(sum, all, meta); err != nil {
		return err
	}
	meta[checksumKey] = hex.EncodeToString(sum.Sum(nil))
	return tensor.WriteSafetensors(w, all, meta)
}

// verifyChecksum compares a file with the checksum that its metadata states.
func verifyChecksum(data []byte, stated string) error {
	field := fmt.Appendf(nil, "%q:%q", checksumKey, stated)
	at := bytes.Index(data, field)
	if len(stated) != len(noChecksum) || at < 0 {
		return fmt.Errorf("has no checksum (%s is %q): it is damaged, or from a version of zoo that wrote none",
			checksumKey, stated)
	}
	at += len(field) - 1 - len(stated)
	sum := sha256.New()
	for _, part := range [][]byte{data[:at], []byte(noChecksum), data[at+len(stated):]} {
		sum.Write(part)
	}
	if is := hex.EncodeToString(sum.Sum(nil)); is != stated {
		return fmt.Errorf("is damaged: its checksum is %s and should be %s", is, stated)
	}
	return nil
}
