package train_test

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/train/runfile"
)

// A checkpoint of absurd size is refused before it is read.
func TestHugeCheckpoint(t *testing.T) {
	cfg, err := micro("nope", 1).Resolve()
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	// The header is in order, with a tensor that the model has not.
	header, err := json.Marshal(map[string]any{
		"__metadata__": map[string]string{
			"zoo.config": string(config), "zoo.step": "1", "zoo.loss": "1", "zoo.progress": "{}"},
		"x": map[string]any{"dtype": "F32", "shape": []int{6 << 28}, "data_offsets": []int{0, 6 << 30}},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "checkpoint-00000001.safetensors")
	start := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	if err := os.WriteFile(path, start, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(len(start))+6<<30); err != nil {
		t.Skip(err) // not every file system has sparse files
	}
	if _, err := runfile.ReadCheckpoint(path); err == nil ||
		!strings.Contains(err.Error(), "bytes; with the model of its configuration it has at most ") {
		t.Errorf("checkpoint: %v", err)
	}
}
