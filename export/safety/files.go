package safety

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/wrap"
)

// ReadFile reads a model file. Data that it keeps in other files of its folder is put
// into the bytes that are returned, so that a hash covers it and later changes of those
// files do not matter. Where that is more than one file holds, the bytes are the file's, and external
// holds the other files' (Options.External). Nothing is validated: see Check.
//
// The other files must be regular ones within the folder, by a relative path
// without "..". Relative symbolic links may lead to any place within a further folder around it, and without
// one ("") within the file's own.
func ReadFile(path, linksWithin string) (data []byte, external map[string][]byte, err error) {
	data, err = files.ReadRegular(path, MaxFile)
	if err != nil || !mentionsFiles(data) {
		return data, nil, err
	}
	root, inner, err := openRoot(filepath.Dir(path), linksWithin)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	defer root.Close()
	folder, err := fs.Sub(root.FS(), inner)
	if err == nil {
		data, external, err = ReadBeside(data, folder)
	}
	if err != nil {
		return nil, nil, wrap.Error(err, "%s", path)
	}
	return data, external, nil
}

// openRoot opens the folder within which links are followed, around a model's, whose path in it is inner.
func openRoot(folder, around string) (root *os.Root, inner string, err error) {
	if around == "" {
		root, err = os.OpenRoot(folder)
		return root, ".", err
	}
	var ends [2]string // without links on the way
	for i, path := range []string{around, folder} {
		if ends[i], err = filepath.Abs(path); err == nil {
			ends[i], err = filepath.EvalSymlinks(ends[i])
		}
		if err != nil {
			return nil, "", err
		}
	}
	if inner, err = filepath.Rel(ends[0], ends[1]); err != nil || !filepath.IsLocal(inner) {
		return nil, "", fmt.Errorf("the model's folder is not within %s, the folder for links", around)
	}
	root, err = os.OpenRoot(ends[0])
	return root, filepath.ToSlash(inner), err
}

// ReadFS is ReadFile for a file of fsys.
func ReadFS(fsys fs.FS, name string) (data []byte, external map[string][]byte, err error) {
	info, err := fs.Stat(fsys, name)
	if err == nil {
		err = files.CheckRegular(name, info, MaxFile)
	}
	if err != nil {
		return nil, nil, err
	}
	if data, err = fs.ReadFile(fsys, name); err != nil {
		return nil, nil, err
	}
	folder, err := fs.Sub(fsys, filepath.ToSlash(filepath.Dir(name)))
	if err == nil {
		data, external, err = ReadBeside(data, folder)
	}
	if err != nil {
		return nil, nil, wrap.Error(err, "%s", name)
	}
	return data, external, nil
}

// location is the key under which a tensor names the file of its data.
const location = "location"

// mentionsFiles reports whether a file may have data in others, without parsing
// it.
func mentionsFiles(data []byte) bool { return bytes.Contains(data, []byte(location)) }

// ReadBeside is ReadFile for a file's bytes, whose other files are in a folder.
func ReadBeside(data []byte, folder fs.FS) (inlined []byte, external map[string][]byte, err error) {
	if !mentionsFiles(data) {
		return data, nil, nil
	}
	m, err := parse(data, true)
	if err != nil {
		return nil, nil, err
	}
	r := inliner{folder: folder, files: map[string]fs.File{}, size: int64(len(data))}
	defer r.close()
	if large, err := exceeds(m.Graph, r.size); large || err != nil {
		if err == nil {
			external, err = r.readApart(m.Graph)
		}
		return data, external, err
	}
	if err := r.graph(m.Graph); err != nil {
		return nil, nil, err
	}
	if len(r.files) == 0 {
		return data, nil, nil
	}
	inlined, err = onnxpb.Marshal(m)
	return inlined, nil, err
}

// inliner replaces external data by the data.
type inliner struct {
	folder fs.FS
	files  map[string]fs.File
	size   int64 // of the file with what has been added so far
}

func (r *inliner) close() {
	for _, f := range r.files {
		f.Close()
	}
}

func (r *inliner) graph(g *onnxpb.GraphProto) error {
	for _, t := range g.Initializer {
		if err := r.tensor(t); err != nil {
			return fmt.Errorf("initializer %s: %w", onnxpb.Quote(t.Name), err)
		}
	}
	for _, n := range g.Node {
		for _, a := range n.Attribute {
			for _, t := range append(a.Tensors[:len(a.Tensors):len(a.Tensors)], a.T) {
				if err := r.tensor(t); err != nil {
					return fmt.Errorf("node %s: attribute %s: %w", onnxpb.Quote(n.Name), onnxpb.Quote(a.Name), err)
				}
			}
			for _, inner := range append(a.Graphs[:len(a.Graphs):len(a.Graphs)], a.G) {
				if inner == nil {
					continue
				}
				if err := r.graph(inner); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// external is the TensorProto.DataLocation of data in another file.
const external = 1

func (r *inliner) tensor(t *onnxpb.TensorProto) error {
	if t == nil || t.DataLocation != external {
		return nil
	}
	length, err := bytesOf(t)
	if err != nil {
		return err
	}
	if r.size += length; r.size > MaxFile {
		return fmt.Errorf("with the data of other files the model has more than %d bytes", MaxFile)
	}
	name, offset, err := placeOf(t, length)
	if err != nil {
		return err
	}
	if t.RawData, err = r.read(name, offset, length); err != nil {
		return fmt.Errorf("its data: %w", err)
	}
	t.DataLocation, t.ExternalData = 0, nil
	return nil
}

// bytesOf returns how many bytes of another file a tensor takes.
func bytesOf(t *onnxpb.TensorProto) (int64, error) {
	size := onnxpb.Bits(t.DataType)
	if size == 0 {
		return 0, fmt.Errorf("its element type is %d, which no other file can hold", t.DataType)
	}
	count, err := elementsOf(t, size)
	return (count*int64(size) + 7) / 8, err
}

// read reads a part of a file, after a look at whether the file has it.
func (r *inliner) read(name string, offset, length int64) ([]byte, error) {
	f, err := r.open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if offset > info.Size()-length {
		return nil, fmt.Errorf("the file %s has %d bytes, and %d from byte %d on are wanted",
			onnxpb.Quote(name), info.Size(), length, offset)
	}
	at, ok := f.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("the file %s can only be read from the start", onnxpb.Quote(name))
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(io.NewSectionReader(at, offset, length), data); err != nil {
		return nil, fmt.Errorf("the file %s: %w", onnxpb.Quote(name), err)
	}
	return data, nil
}

// placeOf returns where the data of a tensor is.
func placeOf(t *onnxpb.TensorProto, length int64) (name string, offset int64, err error) {
	for _, e := range t.ExternalData {
		n, bad := strconv.ParseInt(e.Value, 10, 64)
		switch {
		case e.Key == location:
			name = e.Value
		case e.Key == "checksum": // of the whole other file; the identity of the model covers what is used
		case e.Key == "offset" && bad == nil && n >= 0:
			offset = n
		case e.Key == "length" && bad == nil && n == length:
		case e.Key == "length":
			return "", 0, fmt.Errorf("its data: length is %s, and type and shape take %d bytes", onnxpb.Quote(e.Value), length)
		default:
			return "", 0, fmt.Errorf("its data: %s is %s, which is not supported", onnxpb.Quote(e.Key), onnxpb.Quote(e.Value))
		}
	}
	if name == "" {
		return "", 0, errors.New("its data is in another file, which is not named")
	}
	return name, offset, nil
}

// open opens a file of the folder once.
func (r *inliner) open(name string) (fs.File, error) {
	if f := r.files[name]; f != nil {
		return f, nil
	}
	slashed := filepath.ToSlash(filepath.Clean(filepath.FromSlash(name)))
	if !filepath.IsLocal(filepath.FromSlash(name)) || !fs.ValidPath(slashed) {
		return nil, fmt.Errorf("the file %s is not within the model's folder", onnxpb.Quote(name))
	}
	info, err := fs.Stat(r.folder, slashed) // first, as opening a pipe waits for a writer
	if err == nil {
		err = files.CheckRegular(onnxpb.Quote(name), info, math.MaxInt64)
	} else if link, wrong := fs.Lstat(r.folder, slashed); wrong == nil && link.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("%w; it is a symbolic link, as in a cache of downloads: where that is trusted, name the "+
			"folder with both, Options.LinksWithin (--links-within FOLDER)", err)
	}
	if err != nil {
		return nil, err
	}
	f, err := r.folder.Open(slashed)
	if err == nil {
		r.files[name] = f
	}
	return f, err
}
