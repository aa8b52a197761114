package corpora

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nopezoo/zoo/internal/clients"
)

// mostFile is the largest file that is taken out of a package, in bytes.
const mostFile = 64 << 20

// debian returns a file of a package.
func debian(ctx context.Context, dir, pack, file string, find findProgram) ([]byte, error) {
	files, err := debianFiles(ctx, dir, pack, func(name string) bool { return name == file }, find)
	if err == nil && len(files) != 1 {
		err = fmt.Errorf("%s has no file %s", pack, file)
	}
	if err != nil {
		return nil, err
	}
	return files[0].data, nil
}

// debianFiles has apt-get fetch a package, without installing it, and returns the files of it that are wanted.
func debianFiles(ctx context.Context, dir, pack string, wanted func(name string) bool, find findProgram) ([]packed, error) {
	var programs [2]string
	for i, name := range []string{"apt-get", "dpkg-deb"} {
		var err error
		if programs[i], err = find(name); err != nil {
			return nil, fmt.Errorf("%s is Debian's, and there is no %s here: fetch the corpus on a machine with Debian "+
				"or Ubuntu, and bring its file here: %w", pack, name, err)
		}
	}
	if _, err := clients.Run(ctx, dir, programs[0], "download", pack); err != nil {
		return nil, fmt.Errorf("%w; if it does not know %s: apt-get update", err, pack)
	}
	deb, err := clients.Single(dir, "*.deb")
	if err != nil {
		return nil, err
	}
	archive, err := clients.Run(ctx, dir, programs[1], "--fsys-tarfile", deb)
	if err != nil {
		return nil, err
	}
	return untar(bytes.NewReader(archive), wanted)
}

type packed struct {
	name string
	data []byte
}

// untar returns the files of an archive that are wanted, by name without "./", in its order.
func untar(r io.Reader, wanted func(name string) bool) (out []packed, err error) {
	archive := tar.NewReader(r)
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(head.Name, "./")
		if head.Typeflag != tar.TypeReg || !wanted(name) {
			continue
		}
		if head.Size > mostFile {
			return nil, fmt.Errorf("%s has %d bytes; at most %d are read", name, head.Size, mostFile)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, packed{name, data})
	}
}
