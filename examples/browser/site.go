package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/runtime/ort/install"
)

//go:embed page
var page embed.FS

// site is a folder with the page.
type site struct {
	folder    string
	models    []string
	offline   bool
	published bool // for other machines: without the paths of this one
}

// contents is what the page reads in site.json.
type contents struct {
	Engine file    `json:"engine"`
	Models []model `json:"models"`
	ORT    *ortWeb `json:"ort"` // null where the page goes without
	noORT  error   // why it does
}

type file struct {
	Path  string `json:"path"` // in the folder
	Bytes int64  `json:"bytes"`
}

// ortWeb is onnxruntime-web in the folder.
type ortWeb struct {
	Version string `json:"version"`
	Module  string `json:"module"`
	Binary  string `json:"binary"`
	Bytes   int64  `json:"bytes"` // of both
}

// build writes the page. Each file is replaced whole, and index.html comes last.
func (s site) build(ctx context.Context) (made contents, err error) {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return made, err
	}
	if made.Models, err = s.writeModels(); err != nil {
		return made, err
	}
	if made.Engine, err = s.compile(ctx); err != nil {
		return made, err
	}
	if made.ORT, err = s.copyORT(ctx); err != nil {
		if ctx.Err() != nil {
			return made, context.Cause(ctx)
		}
		made.noORT = err
	}
	described, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		return made, err
	}
	if err := s.write("site.json", described); err != nil {
		return made, err
	}
	return made, s.copyPage()
}

// write writes one file of the folder, by its path with slashes.
func (s site) write(name string, data []byte) error {
	to := filepath.Join(s.folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return files.WriteBytesAtomic(to, data)
}

// copy writes one file of the folder with what another has.
func (s site) copy(name, from string) (int64, error) {
	data, err := os.ReadFile(from)
	if err != nil {
		return 0, err
	}
	return int64(len(data)), s.write(name, data)
}

// copyPage writes what the program has in it.
func (s site) copyPage() error {
	const last = "index.html"
	files, err := page.ReadDir("page")
	if err != nil {
		return err
	}
	copy := func(name string) error {
		data, err := page.ReadFile("page/" + name)
		if err != nil {
			return err
		}
		return s.write(name, data)
	}
	for _, f := range files {
		if f.Name() == last {
			continue
		}
		if err := copy(f.Name()); err != nil {
			return err
		}
	}
	return copy(last)
}

// copyORT puts onnxruntime-web into the folder.
func (s site) copyORT(ctx context.Context) (*ortWeb, error) {
	from, err := install.Web(ctx, s.offline)
	switch {
	case err != nil && s.offline:
		return nil, fmt.Errorf("%w; without --offline npm fetches it", err)
	case err != nil:
		return nil, err
	}
	const folder = "onnxruntime-web/"
	o := &ortWeb{Version: ort.Version, Module: folder + install.WebModule, Binary: folder + install.WebBinary}
	for _, name := range []string{o.Module, o.Binary} {
		n, err := s.copy(name, filepath.Join(from, path.Base(name)))
		if err != nil {
			return nil, err
		}
		o.Bytes += n
	}
	return o, nil
}

// sizeOf says how large files of the folder are together, as they are and packed by gzip.
func sizeOf(folder string, names ...string) string {
	all, packed, err := sizes(folder, names...)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s, %s packed by gzip", human.Bytes(all), human.Bytes(packed))
}

func sizes(folder string, names ...string) (all, packed int64, err error) {
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return 0, 0, err
		}
		var buf bytes.Buffer
		w := gzip.NewWriter(&buf)
		if _, err := w.Write(data); err != nil {
			return 0, 0, err
		}
		if err := w.Close(); err != nil {
			return 0, 0, err
		}
		all, packed = all+int64(len(data)), packed+int64(buf.Len())
	}
	return all, packed, nil
}
