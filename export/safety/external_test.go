package safety

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

func entries(keysAndValues ...string) (list []*onnxpb.StringStringEntryProto) {
	for i := 0; i < len(keysAndValues); i += 2 {
		list = append(list, &onnxpb.StringStringEntryProto{Key: keysAndValues[i], Value: keysAndValues[i+1]})
	}
	return list
}

// aside is a tensor of so many elements of a type in a file.
func aside(code int32, n int64, at ...string) *onnxpb.TensorProto {
	return &onnxpb.TensorProto{Name: "w", DataType: code, Dims: []int64{n}, DataLocation: external, ExternalData: entries(at...)}
}

// TestPlace: where a tensor says that its data is.
func TestPlace(t *testing.T) {
	for _, tc := range []struct {
		at     []string
		name   string
		offset int64
		want   string // "" passes
	}{
		{[]string{"location", "w"}, "w", 0, ""},
		{[]string{"location", "w", "offset", "0", "length", "8"}, "w", 0, ""},
		{[]string{"location", "w", "offset", "1"}, "w", 1, ""},
		{[]string{"offset", "3", "location", "w", "checksum", "x"}, "w", 3, ""},
		{[]string{"location", "w", "offset", "-1"}, "", 0, `"offset" is "-1"`},
		{[]string{"location", "w", "offset", "x"}, "", 0, `"offset" is "x"`},
		{[]string{"location", "w", "length", "7"}, "", 0, `length is "7", and type and shape take 8 bytes`},
		{[]string{"location", "w", "length", "x"}, "", 0, `length is "x"`},
		{[]string{"location", "w", "other", "1"}, "", 0, `"other" is "1", which is not supported`},
		{[]string{"location", "w", "other", "8"}, "", 0, `"other" is "8", which is not supported`},
		{nil, "", 0, "its data is in another file, which is not named"},
		{[]string{"location", ""}, "", 0, "which is not named"},
	} {
		name, offset, err := placeOf(aside(1, 2, tc.at...), 8)
		if tc.want == "" && (err != nil || name != tc.name || offset != tc.offset) || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%q: %q, %d, %v, want %q", tc.at, name, offset, err, tc.want)
		}
	}
}

// reading is a file that can only be read from its start.
type reading struct{ fs.FS }

func (r reading) Open(name string) (fs.File, error) {
	f, err := r.FS.Open(name)
	return struct{ fs.File }{f}, err
}

// TestInlined: data of other files is put in wherever a file may refer to it, of each type and up to the end of that
// file, and nothing is taken from elsewhere.
func TestInlined(t *testing.T) {
	folder := fstest.MapFS{"w": {Data: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}}, "sub/v": {Data: []byte{7, 7}}}
	for _, tc := range []struct {
		of   *onnxpb.TensorProto
		data []byte
		want string // "" passes
	}{
		{aside(1, 2, "location", "w"), []byte{1, 2, 3, 4, 5, 6, 7, 8}, ""},
		{aside(1, 2, "location", "w", "offset", "1"), []byte{2, 3, 4, 5, 6, 7, 8, 9}, ""}, // to the end
		{aside(1, 2, "location", "w", "offset", "2"), nil, `the file "w" has 9 bytes, and 8 from byte 2 on are wanted`},
		{aside(22, 3, "location", "w"), []byte{1, 2}, ""}, // of four bits
		{aside(25, 3, "location", "w"), []byte{1}, ""},
		{aside(10, 1, "location", "sub/v"), []byte{7, 7}, ""},
		{aside(10, 1, "location", "./sub//v"), []byte{7, 7}, ""},
		{aside(8, 1, "location", "w"), nil, "its element type is 8, which no other file can hold"},
		{aside(1, -1, "location", "w"), nil, "axis 0 has the length -1"},
		{aside(1, 1, "location", "none"), nil, "its data: "},
		{aside(1, 1, "location", "sub"), nil, "is a folder"},
		{aside(1, 1, "location", "../w"), nil, "is not within the model's folder"},
		{aside(1, 1, "location", "/w"), nil, "is not within the model's folder"},
		{aside(1, 1, "location", "w\xff"), nil, "is not within the model's folder"},
		{aside(1, 1), nil, "which is not named"},
		{aside(2, 1<<31-1, "location", "w"), nil, "with the data of other files the model has more than 2147483647 bytes"},
	} {
		holders := map[string]func(g *onnxpb.GraphProto, w *onnxpb.TensorProto){
			`initializer "w": `: func(g *onnxpb.GraphProto, w *onnxpb.TensorProto) { g.Initializer = append(g.Initializer, w) },
			`node "n": attribute "a": `: func(g *onnxpb.GraphProto, w *onnxpb.TensorProto) {
				g.Node = append(g.Node, &onnxpb.NodeProto{Name: "n", Attribute: []*onnxpb.AttributeProto{{Name: "a", T: w}}})
			},
			`node "m": attribute "a": `: func(g *onnxpb.GraphProto, w *onnxpb.TensorProto) {
				g.Node = append(g.Node, &onnxpb.NodeProto{Name: "m", Attribute: []*onnxpb.AttributeProto{{Name: "a", Tensors: []*onnxpb.TensorProto{w}}}})
			},
		}
		for said, hold := range holders {
			for depth := range 3 {
				w := new(*tc.of)
				g := &onnxpb.GraphProto{}
				hold(g, w)
				for i := range depth { // within other graphs
					a := &onnxpb.AttributeProto{Name: "g", G: g}
					if i == 1 {
						a = &onnxpb.AttributeProto{Name: "g", Graphs: []*onnxpb.GraphProto{{}, g}}
					}
					g = &onnxpb.GraphProto{Node: []*onnxpb.NodeProto{{Name: "outer", Attribute: []*onnxpb.AttributeProto{a}}}}
				}
				r := inliner{folder: folder, files: map[string]fs.File{}, size: 10}
				err := r.graph(g)
				r.close()
				if tc.want != "" {
					if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), said) {
						t.Errorf("%v: %v, want %q", tc.of, err, said+tc.want)
					}
				} else if err != nil || !bytes.Equal(w.RawData, tc.data) || w.DataLocation != 0 || w.ExternalData != nil {
					t.Errorf("%v, %s, depth %d: %v, %v", tc.of, said, depth, w, err)
				}
			}
		}
	}
	there := &onnxpb.TensorProto{Name: "w", DataType: 1, RawData: make([]byte, 4)}
	r := inliner{folder: folder, files: map[string]fs.File{}}
	if err := r.tensor(there); err != nil || len(r.files) > 0 || r.size != 0 {
		t.Errorf("data that is there: %v", err)
	}
	if err := r.tensor(nil); err != nil {
		t.Errorf("no tensor: %v", err)
	}
	for range 2 { // a file is opened once, and what is put in adds up
		if err := r.tensor(aside(1, 2, "location", "w")); err != nil {
			t.Error(err)
		}
	}
	if len(r.files) != 1 || r.size != 16 {
		t.Errorf("%d files, %d bytes", len(r.files), r.size)
	}
	r.size = MaxFile - 8
	if err := r.tensor(aside(1, 2, "location", "w")); err != nil {
		t.Errorf("the most bytes: %v", err)
	}
	r.size = MaxFile - 7
	if err := r.tensor(aside(1, 2, "location", "w")); err == nil {
		t.Error("one byte more passes")
	}
	r.close()
	r = inliner{folder: reading{folder}, files: map[string]fs.File{}}
	if err := r.tensor(aside(1, 2, "location", "w")); err == nil || !strings.Contains(err.Error(), `the file "w" can only be read from the start`) {
		t.Errorf("a file that cannot be read in the middle: %v", err)
	}
}

// TestUntouched: a file whose data is all in it is returned as it is, also where it mentions others.
func TestUntouched(t *testing.T) {
	m := neg()
	m.DocString = location
	data, err := onnxpb.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, 0x98, 0x06, 5) // a field that our schema lacks
	fsys := fstest.MapFS{"m": {Data: data}, "none": {Data: []byte(location)}, "far/m": {Data: data}}
	for _, name := range []string{"m", "far/m"} {
		if got, _, err := ReadFS(fsys, name); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %x, %v", name, got, err)
		}
	}
	if _, _, err := ReadFS(fsys, "none"); err == nil || !strings.HasPrefix(err.Error(), "none: ") {
		t.Errorf("what is no model: %v", err)
	}
	if _, _, err := ReadFS(fsys, "other"); err == nil {
		t.Error("a file that is not there is read")
	}
	m.Graph.Initializer = []*onnxpb.TensorProto{aside(2, 4, "location", "none")}
	if data, err = onnxpb.Marshal(m); err != nil {
		t.Fatal(err)
	}
	fsys["m"] = &fstest.MapFile{Data: append(data, 0x98, 0x06, 5)}
	got, _, err := ReadFS(fsys, "m")
	if err != nil || !bytes.Contains(got, []byte(location[:4])) || !bytes.HasSuffix(got, []byte{0x98, 0x06, 5}) {
		t.Errorf("with what our schema lacks: %x, %v", got, err)
	}
}
