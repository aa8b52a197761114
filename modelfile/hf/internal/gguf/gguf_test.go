package gguf

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
)

// The values of random blocks, bit for bit as the package gguf of llama.cpp has them.
func TestBlocks(t *testing.T) {
	data, err := os.ReadFile("testdata/blocks.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]struct{ Raw, Bits string }
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for number, k := range kinds {
		w, ok := want[k.name]
		if !ok {
			if k.values != nil {
				t.Errorf("%s has no values to compare with", k.name)
			}
			continue
		}
		seen++
		raw, _ := hex.DecodeString(w.Raw)
		bits, _ := hex.DecodeString(w.Bits)
		blocks := len(raw) / k.size
		f := file(t, nil, item{"x", []int{blocks, k.block}, number, raw})
		got, err := f.Read("x")
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range tensor.Data[float32](got) {
			if math.Float32bits(v) != binary.LittleEndian.Uint32(bits[4*i:]) {
				t.Errorf("%s: value %d is %v", k.name, i, v)
				break
			}
		}
	}
	if seen != len(want) {
		t.Errorf("%d types were compared of %d", seen, len(want))
	}
}

// item is a tensor of a file that tests make.
type item struct {
	name  string
	shape []int // rows first
	kind  uint32
	raw   []byte
}

// bytesOf makes a file of string pairs and tensors.
func bytesOf(pairs map[string]string, items ...item) []byte {
	var b bytes.Buffer
	put := func(v any) { binary.Write(&b, binary.LittleEndian, v) }
	text := func(s string) { put(uint64(len(s))); b.WriteString(s) }
	b.WriteString("GGUF")
	put(uint32(3))
	put(uint64(len(items)))
	put(uint64(len(pairs)))
	for key, v := range pairs {
		text(key)
		put(uint32(typeString))
		text(v)
	}
	var data []byte
	for _, it := range items {
		text(it.name)
		put(uint32(len(it.shape)))
		for _, d := range slices.Backward(it.shape) {
			put(uint64(d))
		}
		put(it.kind)
		put(uint64(len(data)))
		data = append(data, it.raw...)
		data = append(data, make([]byte, (32-len(data)%32)%32)...)
	}
	b.Write(make([]byte, (32-b.Len()%32)%32))
	b.Write(data)
	return b.Bytes()
}

func file(t *testing.T, pairs map[string]string, items ...item) *File {
	t.Helper()
	data := bytesOf(pairs, items...)
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Files that claim what they have not are refused by name, before memory is taken.
func TestErrors(t *testing.T) {
	row := item{"x", []int{1, 8}, 0, make([]byte, 32)}
	good := bytesOf(map[string]string{"general.architecture": "llama"}, row)
	changed := func(at int, value byte) []byte {
		b := slices.Clone(good)
		b[at] = value
		return b
	}
	name := bytes.Index(good, []byte{1, 0, 0, 0, 0, 0, 0, 0, 'x'}) // of the tensor
	for what, tc := range map[string]struct {
		data []byte
		want string
	}{
		"magic":        {changed(0, 'X'), "does not begin with GGUF"},
		"version":      {changed(4, 2), "version 2: want 3"},
		"tensors":      {changed(14, 1), "at most"},
		"pairs":        {changed(22, 1), "at most"},
		"short":        {good[:40], "outside the file"},
		"cut":          {good[:len(good)-1], "outside the file"},
		"axes":         {changed(name+9, 9), "9 axes: want 1 to 4"},
		"no axes":      {changed(name+9, 0), "0 axes: want 1 to 4"},
		"wide":         {changed(name+13+6, 1), "is too large"},
		"type":         {changed(name+29, 7), "type Q5_1, which is not read; take a file whose types are F32, F16"},
		"no type":      {changed(name+29, 99), "type 99, which is not read"},
		"blocks":       {changed(name+29, 12), "rows of 8 values are no whole blocks of 256"},
		"offset":       {changed(name+33, 8), "offset 8 is no multiple of 32"},
		"outside":      {changed(name+33, 32), "are outside the file"},
		"key twice":    {bytes.Replace(bytesOf(map[string]string{"a": "1", "b": "1"}), []byte("b"), []byte("a"), 1), `the key "a" occurs twice`},
		"tensor twice": {bytesOf(nil, row, row), `the tensor "x" occurs twice`},
		"overlap":      {overlapping(), "overlap"},
		"value":        {changed(24+8+20, 99), "a value of type 99: want 0 to 12"},
		"list":         {list(1 << 40), "it is outside the file"},
		"text":         {changed(24+6, 1), "is outside the file"},
	} {
		if _, err := Open(bytes.NewReader(tc.data), int64(len(tc.data))); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one about %s", what, err, tc.want)
		}
	}
}

// overlapping is a file whose two tensors lie in one place.
func overlapping() []byte {
	b := bytesOf(nil, item{"x", []int{8}, 0, make([]byte, 32)}, item{"y", []int{8}, 0, make([]byte, 32)})
	b[bytes.LastIndexByte(b[:len(b)-64], 32)] = 0 // the offset of y
	return b
}

// list is a file with a list of so many bytes as it says.
func list(n uint64) []byte {
	b := bytesOf(map[string]string{"k": ""})
	b = b[:24+8+1] // behind the key
	b = binary.LittleEndian.AppendUint32(b, typeArray)
	b = binary.LittleEndian.AppendUint32(b, 0)
	return binary.LittleEndian.AppendUint64(b, n)
}

// Values of all types are read as they are.
func TestValues(t *testing.T) {
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint64(le.AppendUint32([]byte("GGUF"), 3), 0), 8)
	pair := func(key string, kind uint32, value ...byte) {
		b = append(le.AppendUint64(b, uint64(len(key))), key...)
		b = append(le.AppendUint32(b, kind), value...)
	}
	pair("u8", 0, 200)
	pair("i8", 1, 0xff)
	pair("i16", 3, 0xfe, 0xff)
	pair("u32", 4, 1, 0, 0, 0x80)
	pair("i32", 5, 0xfd, 0xff, 0xff, 0xff)
	pair("f32", 6, le.AppendUint32(nil, math.Float32bits(1.5))...)
	pair("bool", 7, 1)
	pair("list", typeArray, append(le.AppendUint64(le.AppendUint32(nil, typeString), 1), 1, 0, 0, 0, 0, 0, 0, 0, 'a')...)
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{"u8": int64(200), "i8": int64(-1), "i16": int64(-2), "u32": int64(1<<31 + 1),
		"i32": int64(-3), "f32": 1.5, "bool": true} {
		if f.Pairs[key] != want {
			t.Errorf("%s is %v, want %v", key, f.Pairs[key], want)
		}
	}
	if got, ok := f.Pairs["list"].([]any); !ok || len(got) != 1 || got[0] != "a" {
		t.Errorf("the list is %v", f.Pairs["list"])
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(bytesOf(map[string]string{"general.architecture": "llama"}, item{"x", []int{1, 8}, 0, make([]byte, 32)}))
	f.Add(list(3))
	f.Add(overlapping())
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for name := range file.Tensors {
			if _, err := file.Read(name); err != nil {
				t.Errorf("the tensor %q of a file that opens: %v", name, err)
			}
		}
	})
}
